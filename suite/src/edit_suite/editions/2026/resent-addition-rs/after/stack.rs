const DEPTH: usize = 128;
const WIDTH: usize = 8;
const NAME: &str = "main";

pub struct Stack {
    values: Vec<i64>,
}

impl Stack {
    pub fn new() -> Self {
        Stack { values: Vec::new() }
    }

    pub fn push(&mut self, value: i64) -> bool {
        if self.values.len() == DEPTH {
            return false;
        }
        self.values.push(value);
        true
    }

    pub fn pop(&mut self) -> Option<i64> {
        self.values.pop()
    }

    pub fn sum(&self) -> i64 {
        self.values.iter().sum()
    }
}
