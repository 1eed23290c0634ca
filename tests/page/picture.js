// A picture of the page of --report, as in samples/report.png.
// usage: node picture.js CHROMIUM PAGE ADDRESS WIDTH HEIGHT FILE.png   ADDRESS: what is shown, as "#view=flame"
"use strict";
const { Browser } = require("../exports/devtools.js");
const path = require("path");
const [program, file, address, width, height, picture] = process.argv.slice(2);

async function take() {
  const browser = new Browser(program);
  try {
    const page = await browser.page();
    await page.scheme("light");
    await page.size(Number(width), Number(height));
    await page.open("file://" + path.resolve(file) + address);
    while (!(await page.run("document.documentElement.classList.contains('live')"))) await new Promise((resolve) => setTimeout(resolve, 50));
    await page.run("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)))");
    await page.screenshot(picture);
  } finally {
    await browser.close();
  }
}

take().catch((e) => {
  console.error(e);
  process.exit(1);
});
