//! Generic functions, traits and closures.
use std::collections::BTreeMap;
use std::hint::black_box;

trait Shape {
    fn area(&self) -> u64;
}
struct Square<const N: usize>(u64);
impl<const N: usize> Shape for Square<N> {
    #[inline(never)]
    fn area(&self) -> u64 {
        (0..N as u64 * 40).fold(self.0, |sum, i| black_box(sum.wrapping_mul(31) + i))
    }
}

#[inline(never)]
fn total<T: Shape + ?Sized>(shapes: &[Box<T>]) -> u64 {
    shapes.iter().map(|shape| shape.area()).fold(0, u64::wrapping_add)
}

fn main() {
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square::<8>(1)), Box::new(Square::<32>(2))];
    let mut seen = BTreeMap::new();
    for i in 0..30000u64 {
        *seen.entry(format!("{}", i % 500)).or_insert(0) += total(black_box(&shapes)) ^ i;
    }
    println!("{}", seen.len());
}
