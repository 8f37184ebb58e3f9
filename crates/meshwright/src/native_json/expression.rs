//! The expressions of descriptions: counts, offsets and conditions.

/// A number or a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Int(i128),
    Text(Vec<u8>),
}

impl Value {
    fn int(self) -> Option<i128> {
        match self {
            Self::Int(n) => Some(n),
            Self::Text(_) => None,
        }
    }
}

/// A parsed expression.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    Value(Value),
    /// The names of a path, the outermost first.
    Path(Vec<&'static str>),
    Operation(&'static str, Box<Self>, Box<Self>),
    Choice(Box<Self>, Box<Self>, Box<Self>),
}

/// The operators, by precedence, the weakest first.
const OPERATORS: [&[&str]; 9] = [
    &["||"],
    &["&&"],
    &["|"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/"],
];

impl Expression {
    /// Parses an expression. It is `None` if the text is not an expression.
    pub(super) fn parse(text: &'static str) -> Option<Self> {
        let mut parser = Parser { rest: text };
        let expression = parser.choice()?;
        parser.space();
        parser.rest.is_empty().then_some(expression)
    }

    /// Returns the value. `lookup` returns that of a path.
    pub(super) fn value(&self, lookup: &dyn Fn(&[&'static str]) -> Option<Value>) -> Option<Value> {
        match self {
            Self::Value(value) => Some(value.clone()),
            Self::Path(path) => lookup(path),
            Self::Choice(condition, yes, no) => {
                if condition.int(lookup)? != 0 {
                    yes.value(lookup)
                } else {
                    no.value(lookup)
                }
            }
            Self::Operation(operator, left, right) => {
                let left = left.value(lookup)?;
                match *operator {
                    "&&" if left == Value::Int(0) => return Some(left),
                    "||" if left.clone().int()? != 0 => return Some(Value::Int(1)),
                    _ => {}
                }
                let right = right.value(lookup)?;
                let truth = |holds: bool| Some(Value::Int(i128::from(holds)));
                match *operator {
                    "==" => return truth(left == right),
                    "!=" => return truth(left != right),
                    _ => {}
                }
                let (a, b) = (left.int()?, right.int()?);
                match *operator {
                    "&&" | "||" => return truth(b != 0),
                    "<" => return truth(a < b),
                    ">" => return truth(a > b),
                    "<=" => return truth(a <= b),
                    ">=" => return truth(a >= b),
                    _ => {}
                }
                let shift = || u32::try_from(b).ok();
                Some(Value::Int(match *operator {
                    "|" => a | b,
                    "&" => a & b,
                    "<<" => a.checked_shl(shift()?)?,
                    ">>" => a.checked_shr(shift()?)?,
                    "+" => a.checked_add(b)?,
                    "-" => a.checked_sub(b)?,
                    "*" => a.checked_mul(b)?,
                    _ => a.checked_div(b)?,
                }))
            }
        }
    }

    /// Returns the value as a number.
    pub(super) fn int(&self, lookup: &dyn Fn(&[&'static str]) -> Option<Value>) -> Option<i128> {
        self.value(lookup)?.int()
    }

    /// Returns the paths, in order.
    pub(super) fn paths(&self) -> Vec<&[&'static str]> {
        match self {
            Self::Value(_) => Vec::new(),
            Self::Path(path) => vec![path],
            Self::Operation(_, a, b) => [a.paths(), b.paths()].concat(),
            Self::Choice(a, b, c) => [a.paths(), b.paths(), c.paths()].concat(),
        }
    }

    /// Returns the value of the path `unknown` for which the expression has a value.
    pub(super) fn solve(
        &self,
        value: i128,
        unknown: &[&'static str],
        lookup: &dyn Fn(&[&'static str]) -> Option<Value>,
    ) -> Option<i128> {
        match self {
            Self::Path(path) => (path == unknown).then_some(value),
            Self::Value(_) | Self::Choice(..) => None,
            Self::Operation(operator, left, right) => {
                let on_left = left.paths().contains(&unknown);
                let (side, other) = if on_left { (left, right) } else { (right, left) };
                let other = other.int(lookup)?;
                let inner = match (*operator, on_left) {
                    ("+", _) => value.checked_sub(other)?,
                    ("-", true) => value.checked_add(other)?,
                    ("*", _) if other != 0 && value.checked_rem(other)? == 0 => value.checked_div(other)?,
                    ("/", true) => value.checked_mul(other)?,
                    _ => return None,
                };
                side.solve(inner, unknown, lookup)
            }
        }
    }
}

struct Parser {
    rest: &'static str,
}

impl Parser {
    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, word: &str) -> bool {
        self.space();
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn choice(&mut self) -> Option<Expression> {
        let condition = self.operation(0)?;
        if !self.take("?") {
            return Some(condition);
        }
        let yes = self.choice()?;
        if !self.take(":") {
            return None;
        }
        Some(Expression::Choice(condition.into(), yes.into(), self.choice()?.into()))
    }

    fn operation(&mut self, level: usize) -> Option<Expression> {
        let Some(operators) = OPERATORS.get(level) else { return self.primary() };
        let mut left = self.operation(level.saturating_add(1))?;
        while let Some(operator) = self.operator(operators) {
            let right = self.operation(level.saturating_add(1))?;
            left = Expression::Operation(operator, left.into(), right.into());
        }
        Some(left)
    }

    fn operator(&mut self, operators: &[&'static str]) -> Option<&'static str> {
        self.space();
        // A sign is not the beginning of a longer one.
        let longer = |sign: &str| {
            ["||", "&&", "<<", ">>", "<=", ">="]
                .iter()
                .any(|l| *l != sign && l.starts_with(sign) && self.rest.starts_with(l))
        };
        let found = operators.iter().copied().find(|sign| self.rest.starts_with(sign) && !longer(sign))?;
        self.rest = self.rest.get(found.len()..)?;
        Some(found)
    }

    fn primary(&mut self) -> Option<Expression> {
        if self.take("(") {
            let inner = self.choice()?;
            return self.take(")").then_some(inner);
        }
        if self.take("\"") {
            let (text, rest) = self.rest.split_once('"')?;
            self.rest = rest;
            return Some(Expression::Value(Value::Text(text.as_bytes().to_vec())));
        }
        let word = self.word()?;
        if let Ok(number) = word.parse() {
            return Some(Expression::Value(Value::Int(number)));
        }
        let mut path = vec![word];
        while self.take(".") {
            self.space();
            path.push(self.word()?);
        }
        Some(Expression::Path(path))
    }

    fn word(&mut self) -> Option<&'static str> {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end).filter(|(word, _)| !word.is_empty())?;
        self.rest = rest;
        Some(word)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failing test panics")]
mod tests {
    use super::*;

    fn known(path: &[&'static str]) -> Option<Value> {
        match path {
            ["a"] => Some(Value::Int(6)),
            ["b", "c"] => Some(Value::Int(253 << 56)),
            ["id"] => Some(Value::Text(b"MESH".to_vec())),
            _ => None,
        }
    }

    #[test]
    fn expressions_have_the_values_of_arithmetic() {
        for (text, value) in [
            ("1 + 2 * 3", 7),
            ("(1 + 2) * a", 18),
            ("(b . c >> 56) >= 240 && (b.c >> 56) <= 253", 1),
            ("a <= 1 ? 1 : a <= 3 ? 2 : a == 6 ? 9 : 8", 9),
            ("id == \"MESH\" || missing", 1),
            ("id != \"MESH\" && missing", 0),
            ("a & 2 | 1", 3),
            ("100 / 48", 2),
        ] {
            assert_eq!(Expression::parse(text).unwrap().int(&known), Some(value), "{text}");
        }
        assert!(Expression::parse("1 +").is_none() && Expression::parse("a b").is_none());
        assert_eq!(Expression::parse("a / (a - 6)").unwrap().int(&known), None);
    }

    #[test]
    fn a_path_is_found_for_a_value() {
        let solve =
            |text, value, path: &[&'static str]| Expression::parse(text).unwrap().solve(value, path, &known);
        assert_eq!(solve("x / 48", 3, &["x"]), Some(144));
        assert_eq!(solve("x.y * a", 12, &["x", "y"]), Some(2));
        assert_eq!(solve("x.y * a", 13, &["x", "y"]), None);
        assert_eq!(solve("a + x", 10, &["x"]), Some(4));
        assert_eq!(solve("a ? x : 1", 10, &["x"]), None);
    }
}
