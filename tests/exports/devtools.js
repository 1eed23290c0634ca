// A headless Chromium, driven through the pipe of its DevTools protocol: no library is needed.
"use strict";
const { spawn } = require("child_process");
const fs = require("fs");
const http = require("http");
const os = require("os");
const path = require("path");

class Browser {
  constructor(program) {
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), "readperf-chromium."));
    this.process = spawn(program, ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
      "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars", "--remote-debugging-pipe",
      "--user-data-dir=" + this.folder, "--window-size=1200,800", "about:blank"],
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.waiting = new Map();
    this.listeners = [];
    this.number = 0;
    let rest = "";
    this.process.stdio[4].setEncoding("utf8");
    this.process.stdio[4].on("data", (text) => {
      const parts = (rest + text).split("\0");
      rest = parts.pop();
      parts.forEach((part) => this.receive(JSON.parse(part)));
    });
    this.process.stdio[3].on("error", () => {});
    this.process.on("error", (error) => this.end(error));
    this.process.on("exit", () => this.end(new Error("the browser ended")));
  }

  receive(message) {
    const call = this.waiting.get(message.id);
    if (!call) {
      this.listeners = this.listeners.filter((listener) => !listener(message));
      return;
    }
    this.waiting.delete(message.id);
    if (message.error) call.reject(new Error(call.method + ": " + message.error.message));
    else call.resolve(message.result);
  }

  end(error) {
    this.waiting.forEach((call) => call.reject(error));
    this.waiting.clear();
  }

  send(method, params, sessionId) {
    const id = ++this.number;
    this.process.stdio[3].write(JSON.stringify({ id, method, params: params || {}, sessionId }) + "\0");
    return new Promise((resolve, reject) => this.waiting.set(id, { method, resolve, reject }));
  }

  event(name, sessionId) {
    return new Promise((resolve) => this.listeners.push((message) => {
      if (message.method !== name || message.sessionId !== sessionId) return false;
      resolve(message.params);
      return true;
    }));
  }

  async page() {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId);
    await page.send("Page.enable");
    await page.send("Runtime.enable");
    await page.send("Log.enable");
    await page.size(1200, 800);
    return page;
  }

  async close() {
    const gone = new Promise((resolve) => this.process.once("exit", resolve));
    this.send("Browser.close").catch(() => {});
    const timer = setTimeout(() => this.process.kill("SIGKILL"), 5000);
    await gone;
    clearTimeout(timer);
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const KEYS = { Enter: 13, Escape: 27, Home: 36, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Backspace: 8, Tab: 9 };

class Page {
  constructor(browser, sessionId) {
    this.browser = browser;
    this.sessionId = sessionId;
  }

  send(method, params) { return this.browser.send(method, params, this.sessionId); }

  size(width, height) {
    return this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  }

  scheme(value) {
    return this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
  }

  async open(url) {
    const loaded = this.browser.event("Page.loadEventFired", this.sessionId);
    const { errorText } = await this.send("Page.navigate", { url });
    if (errorText) throw new Error(url + ": " + errorText);
    await loaded;
  }

  async run(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(expression + ": " + JSON.stringify(exceptionDetails));
    return result.value;
  }

  async mouse(type, x, y) {
    await this.send("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" ? "none" : "left", clickCount: type === "mouseMoved" ? 0 : 1 });
  }

  async click(x, y) {
    await this.mouse("mouseMoved", x, y);
    await this.mouse("mousePressed", x, y);
    await this.mouse("mouseReleased", x, y);
  }

  // key: a name, or a character; modifiers: 2 is Ctrl
  async key(key, modifiers) {
    const text = key.length === 1 && !modifiers ? key : undefined;
    const code = KEYS[key] || key.toUpperCase().charCodeAt(0);
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", key, text, windowsVirtualKeyCode: code, modifiers: modifiers || 0 });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, windowsVirtualKeyCode: code, modifiers: modifiers || 0 });
  }

  async type(text) { for (const c of text) await this.key(c); }

  async screenshot(file) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    fs.writeFileSync(file, Buffer.from(data, "base64"));
  }
}

// --- what tests share

function equal(found, expected, what) {
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
}

function holds(text, part) {
  if (!text.includes(part)) throw new Error(`expected "${part}" in "${text}"`);
}

// Serves files under a policy while use(address) runs. answer(url): { file, type, policy }.
async function serve(answer, use) {
  const server = http.createServer((request, response) => {
    const { file, type, policy } = answer(request.url);
    response.writeHead(200, { "Content-Type": type, "Content-Security-Policy": policy });
    response.end(fs.readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use("http://127.0.0.1:" + server.address().port);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function withoutScripts(page, use) {
  await page.send("Emulation.setScriptExecutionDisabled", { value: true });
  try {
    await use();
  } finally {
    await page.send("Emulation.setScriptExecutionDisabled", { value: false });
  }
}

// Runs each test on make(page), prints a line for it, and ends the process. An exception of the page fails it, too.
// ONLY=NAME,NAME in the environment runs these alone.
async function runTests(program, suite, tests, make, seconds) {
  let failures = 0;
  setTimeout(() => {
    console.log(`FAIL ${suite}/browser: it took more than ${seconds} seconds`);
    process.exit(1);
  }, 1000 * seconds).unref();
  const browser = new Browser(program), thrown = [];
  try {
    const page = await browser.page();
    browser.listeners.push((message) => {
      if (message.method === "Runtime.exceptionThrown") thrown.push(message.params.exceptionDetails.exception.description || "an exception");
      return false;
    });
    for (const name of Object.keys(tests).filter((n) => !process.env.ONLY || process.env.ONLY.split(",").includes(n))) {
      try {
        await page.size(1200, 800);
        await tests[name](make(page));
        if (thrown.length) throw new Error(thrown.pop());
        console.log(`ok ${suite}/browser-${name}`);
      } catch (e) {
        failures++;
        console.log(`FAIL ${suite}/browser-${name}: ` + e.message.split("\n")[0]);
      }
    }
  } finally {
    await browser.close();
  }
  process.exit(failures ? 1 : 0);
}

// The same, with status 2 if it cannot be done.
const test = (...how) => runTests(...how).catch((e) => {
  console.error(e);
  process.exit(2);
});

module.exports = { Browser, equal, holds, serve, withoutScripts, test };
