//! Random notebooks: cells whose statements use what earlier cells have defined.

/// The types that variables can have.
#[derive(Clone, Copy, PartialEq)]
enum Type {
    Number,
    Text,
    Numbers,
    Maybe,
    Point(usize),
}

#[derive(Clone)]
struct StoredVariable {
    name: String,
    kind: Type,
    is_mutable: bool,
}

/// A struct: its name, and which `impl`s have been generated for it.
struct Point {
    name: String,
    has_sum: bool,
    is_shown: bool,
}

/// Generates the cells of a notebook from a list of choices.
pub struct Maker<'a> {
    choices: std::slice::Iter<'a, u8>,
    variables: Vec<StoredVariable>,
    functions: Vec<String>,
    /// The functions of this cell, which can define a name only once.
    of_this_cell: Vec<String>,
    points: Vec<Point>,
    statics: Vec<String>,
    count: usize,
}

impl<'a> Maker<'a> {
    pub fn new(choices: &'a [u8]) -> Maker<'a> {
        Maker {
            choices: choices.iter(),
            variables: Vec::new(),
            functions: Vec::new(),
            of_this_cell: Vec::new(),
            points: Vec::new(),
            statics: Vec::new(),
            count: 0,
        }
    }

    /// The cells, until the choices run out.
    pub fn cells(mut self) -> Vec<String> {
        let mut cells = Vec::new();
        while self.choices.len() > 0 && cells.len() < 6 {
            self.of_this_cell.clear();
            let mut lines = Vec::new();
            for _ in 0..=self.below(4) {
                lines.push(self.line());
            }
            if self.below(2) == 0 {
                lines.push(self.number());
            }
            cells.push(lines.join("\n"));
        }
        cells
    }

    fn below(&mut self, end: usize) -> usize {
        self.choices
            .next()
            .map_or(0, |choice| usize::from(*choice) % end)
    }

    fn fresh(&mut self, letter: char) -> String {
        self.count += 1;
        format!("{letter}{}", self.count)
    }

    /// A new name, or that of an existing variable.
    fn name(&mut self) -> String {
        if self.below(4) == 0 && !self.variables.is_empty() {
            let count = self.variables.len();
            let place = self.below(count);
            return self.variables[place].name.clone();
        }
        self.fresh('v')
    }

    fn declare(&mut self, name: &str, kind: Type, is_mutable: bool) {
        self.variables.retain(|one| one.name != name);
        let name = name.to_owned();
        self.variables.push(StoredVariable {
            name,
            kind,
            is_mutable,
        });
    }

    fn of(&mut self, is_wanted: impl Fn(&StoredVariable) -> bool) -> Option<StoredVariable> {
        let found: Vec<StoredVariable> = self
            .variables
            .iter()
            .filter(|one| is_wanted(one))
            .cloned()
            .collect();
        match found.len() {
            0 => None,
            count => Some(found[self.below(count)].clone()),
        }
    }

    /// An expression of type `i64`.
    fn number(&mut self) -> String {
        let choice = self.below(9);
        let number = self.below(50).to_string() + "_i64";
        let of_variable = match choice {
            0 | 1 => self.of(|one| one.kind == Type::Number).map(|one| one.name),
            2 => self
                .of(|one| one.kind == Type::Text)
                .map(|one| format!("({}.len() as i64)", one.name)),
            3 => self
                .of(|one| one.kind == Type::Numbers)
                .map(|one| format!("{}.iter().sum::<i64>()", one.name)),
            4 => self
                .of(|one| one.kind == Type::Maybe)
                .map(|one| format!("{}.unwrap_or({number})", one.name)),
            5 => {
                let point = self.of(|one| matches!(one.kind, Type::Point(_)));
                point.map(|one| match one.kind {
                    Type::Point(place) if self.points[place].has_sum => {
                        format!("{}.sum()", one.name)
                    }
                    _ => format!("{}.x", one.name),
                })
            }
            6 => match self.functions.len() {
                0 => None,
                count => {
                    let place = self.below(count);
                    let function = self.functions[place].clone();
                    let argument = self.number();
                    Some(format!("{function}({argument})"))
                }
            },
            7 => {
                let (left, right) = (self.number(), self.number());
                Some(format!("({left}).wrapping_mul(3).wrapping_add({right})"))
            }
            _ => None,
        };
        of_variable.unwrap_or(number)
    }

    fn line(&mut self) -> String {
        match self.below(22) {
            0 | 1 => {
                let (name, value) = (self.name(), self.number());
                self.declare(&name, Type::Number, true);
                format!("let mut {name} = {value};")
            }
            2 => {
                let (name, value) = (self.name(), self.number());
                self.declare(&name, Type::Text, true);
                format!("let mut {name} = format!(\"<{{}}>\", {value});")
            }
            3 => {
                let (name, a, b) = (self.name(), self.number(), self.number());
                self.declare(&name, Type::Numbers, true);
                format!("let mut {name} = vec![{a}, {b}];")
            }
            4 => {
                let (name, a) = (self.name(), self.number());
                self.declare(&name, Type::Maybe, false);
                format!("let {name} = Some({a}).filter(|one| one % 2 == 0);")
            }
            5 => self.change(),
            6 => {
                // Moves a variable.
                let Some(from) = self.of(|one| one.kind != Type::Number) else {
                    return String::new();
                };
                self.variables.retain(|one| one.name != from.name);
                let name = self.fresh('v');
                self.declare(&name, from.kind, false);
                format!("let {name} = {};", from.name)
            }
            7 => {
                let Some(one) = self.of(|one| !matches!(one.kind, Type::Point(_))) else {
                    return String::new();
                };
                format!(
                    "println!(\"{}: {{:?}} {{{}:?}}\", {0});",
                    one.name, one.name
                )
            }
            8 => {
                let (name, end) = (self.name(), self.below(6));
                let each = self.number();
                self.declare(&name, Type::Number, false);
                format!(
                    "let {name} = {{ let mut sum = 0_i64; for i in 0..{end}_i64 {{ if i == 3 {{ continue; }} sum = sum.wrapping_add(i * 2 + {each}); }} sum }};"
                )
            }
            9 => {
                let (name, base, argument) = (self.name(), self.number(), self.number());
                self.declare(&name, Type::Number, false);
                format!(
                    "let {name} = {{ let base = {base}; let add = |x: i64| x.wrapping_add(base); add({argument}) }};"
                )
            }
            10 => {
                let (a, b) = (self.fresh('v'), self.fresh('v'));
                let (x, y) = (self.number(), self.number());
                self.declare(&a, Type::Number, false);
                self.declare(&b, Type::Numbers, true);
                format!("let ({a}, mut {b}) = ({x}, vec![{y}; 2]);")
            }
            11 => {
                let (name, number) = (self.name(), self.below(100));
                self.declare(&name, Type::Number, false);
                format!("let {name}: i64 = \"{number}\".parse()?;")
            }
            12 | 13 => self.function(),
            14 => {
                let name = self.fresh('P');
                self.points.push(Point {
                    name: name.clone(),
                    has_sum: false,
                    is_shown: false,
                });
                format!(
                    "#[derive(Clone, Debug, PartialEq)]\nstruct {name} {{ x: i64, y: Vec<i64> }}"
                )
            }
            15 => self.implementation(),
            16 | 17 => {
                if self.points.is_empty() {
                    return String::new();
                }
                let count = self.points.len();
                let place = self.below(count);
                let (name, x, y) = (self.name(), self.number(), self.number());
                self.declare(&name, Type::Point(place), true);
                format!(
                    "let mut {name} = {} {{ x: {x}, y: vec![{y}] }};",
                    self.points[place].name
                )
            }
            18 => {
                let name = self.fresh('S');
                self.statics.push(name.clone());
                format!(
                    "static {name}: std::sync::atomic::AtomicI64 = std::sync::atomic::AtomicI64::new({});",
                    self.below(9)
                )
            }
            19 => match self.statics.len() {
                0 => String::new(),
                count => {
                    let place = self.below(count);
                    let name = self.statics[place].clone();
                    let more = self.number();
                    format!(
                        "println!(\"{{}}\", {name}.fetch_add({more}, std::sync::atomic::Ordering::SeqCst));"
                    )
                }
            },
            20 => {
                let Some(one) = self.of(|one| one.kind == Type::Numbers) else {
                    return String::new();
                };
                let name = one.name;
                format!(
                    "{{ let view = &{name}; let [first, ..] = view[..] else {{ panic!() }}; match view.len() {{ 0 => println!(\"none\"), n if n > 2 => println!(\"many {{first}}\"), n => println!(\"{{n}} {{view:?}}\") }} }}"
                )
            }
            _ => {
                let Some(one) = self.of(|one| matches!(one.kind, Type::Point(_))) else {
                    return String::new();
                };
                let Type::Point(place) = one.kind else {
                    return String::new();
                };
                match self.points[place].is_shown {
                    true => format!(
                        "println!(\"{{}} {{:?}}\", {0}, {0}.clone() == {0});",
                        one.name
                    ),
                    false => format!("println!(\"{{:?}}\", {}.y);", one.name),
                }
            }
        }
    }

    fn change(&mut self) -> String {
        let Some(one) = self.of(|one| one.is_mutable) else {
            return String::new();
        };
        let (name, value) = (one.name, self.number());
        match one.kind {
            Type::Number => format!("{name} = {name}.wrapping_sub({value});"),
            Type::Text => format!("{name}.push_str(&({value}).to_string());"),
            Type::Numbers => format!("{name}.push({value});"),
            Type::Point(_) => format!("{name}.x = {value};"),
            Type::Maybe => String::new(),
        }
    }

    /// A function, sometimes under the name of an existing one.
    fn function(&mut self) -> String {
        let earlier: Vec<String> = (self.functions.iter())
            .filter(|one| !self.of_this_cell.contains(one))
            .cloned()
            .collect();
        let again = self.below(3) == 0 && !earlier.is_empty();
        let name = match again {
            true => earlier[self.below(earlier.len())].clone(),
            false => self.fresh('f'),
        };
        self.of_this_cell.push(name.clone());
        let (factor, term) = (self.below(5), self.below(9));
        let callable: Vec<String> = self
            .functions
            .iter()
            .filter(|one| **one != name)
            .cloned()
            .collect();
        let inner = match callable.len() {
            0 => "x".to_owned(),
            count => format!("{}(x)", callable[self.below(count)]),
        };
        if again {
            // It calls no other function: the other one might call it back, and the recursion would
            // never end.
            return format!(
                "fn {name}<T: Into<i64>>(x: T) -> i64 {{ x.into().wrapping_mul({factor}) - {term} }}"
            );
        }
        self.functions.push(name.clone());
        format!(
            "fn {name}(x: i64) -> i64 {{ if x > 1000 {{ return {term}; }} ({inner}).wrapping_mul({factor}) + {term} }}"
        )
    }

    fn implementation(&mut self) -> String {
        let Some(place) = self
            .points
            .iter()
            .position(|one| !one.has_sum || !one.is_shown)
        else {
            return String::new();
        };
        let one = &mut self.points[place];
        let name = one.name.clone();
        if !one.has_sum {
            one.has_sum = true;
            return format!(
                "impl {name} {{ fn sum(&self) -> i64 {{ self.y.iter().fold(self.x, |sum, one| sum.wrapping_add(*one)) }} }}"
            );
        }
        one.is_shown = true;
        format!(
            "impl std::fmt::Display for {name} {{ fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {{ write!(f, \"{{}}+{{}}\", self.x, self.sum()) }} }}"
        )
    }
}
