//! Call stacks of a heaptrack file, and the call site that names each.

use std::collections::BTreeMap;

use crate::number::hexadecimal;
use crate::recording::{Recording, Taken};

/// Strings, instructions and stacks that are kept: more than any program has.
const MAX: usize = 1 << 26;
/// Modules that are kept: more than any program loads at once.
const MAX_MODULES: usize = 1 << 16;
/// Characters of a name that are kept.
const LONGEST: usize = 300;
/// Steps up from an allocator's wrapper to its caller.
const STEPS: usize = 4;

/// A module of a raw file, and where it ends.
struct Module {
    name: String,
    end: u64,
}

/// An instruction of an interpreted file: indices of strings, from 1.
struct Instruction {
    address: u64,
    module: usize,
    function: usize,
    file: usize,
    line: u64,
}

/// What a node of the tree of stacks is.
#[derive(Clone, Copy)]
struct Node {
    /// The address (raw), or the index of the instruction from 1 (interpreted).
    instruction: u64,
    parent: usize,
    site: Option<u32>,
}

/// The tree of call stacks.
#[derive(Default)]
pub(super) struct Stacks {
    strings: Vec<String>,
    instructions: Vec<Instruction>,
    /// By where they begin.
    modules: BTreeMap<u64, Module>,
    /// Name of the program itself, which is module `x`.
    program: String,
    nodes: Vec<Node>,
}

impl Stacks {
    /// A string; from version 3 on with its length before it.
    pub fn string(&mut self, rest: &str, version: u64) -> Taken {
        let text = if version >= 3 { rest.split_once(' ').map_or("", |(_, text)| text) } else { rest };
        if self.strings.len() >= MAX {
            return Err("more strings than a program has".into());
        }
        self.strings.push(text.chars().take(LONGEST).collect());
        Ok(())
    }

    /// An instruction of an interpreted file.
    pub fn instruction(&mut self, rest: &str) -> Taken {
        let mut numbers = rest.split_ascii_whitespace().map(hexadecimal);
        let mut next = || match numbers.next() {
            None => Ok(0),
            Some(number) => number.ok_or("a field that is not a number"),
        };
        let (address, module, function, file, line) = (next()?, next()?, next()?, next()?, next()?);
        if self.instructions.len() >= MAX {
            return Err("more instructions than a program has".into());
        }
        let index = |number| usize::try_from(number).unwrap_or(usize::MAX);
        let (module, function, file) = (index(module), index(function), index(file));
        self.instructions.push(Instruction { address, module, function, file, line });
        Ok(())
    }

    /// The path of the program.
    pub fn program(&mut self, rest: &str, version: u64) {
        let path = if version >= 3 { rest.split_once(' ').map_or("", |(_, path)| path) } else { rest };
        self.program = path.rsplit('/').next().unwrap_or(path).chars().take(LONGEST).collect();
    }

    /// A module of a raw file: its name, its base, and place and size of its segments; `-`
    /// in place of a name forgets all modules.
    pub fn module(&mut self, rest: &str, version: u64) -> Taken {
        let rest = if version >= 3 { rest.split_once(' ').map_or("", |(_, rest)| rest) } else { rest };
        let mut fields = rest.split_ascii_whitespace();
        let name = fields.next().ok_or("a module without a name")?;
        if name == "-" {
            self.modules.clear();
            return Ok(());
        }
        let numbers: Vec<u64> = fields.map_while(hexadecimal).collect();
        let Some((&base, segments)) = numbers.split_first() else { return Ok(()) };
        let ends = segments.chunks_exact(2).map(|segment| segment[0].saturating_add(segment[1]));
        let end = base.saturating_add(ends.max().unwrap_or(0));
        let name = if name == "x" { &self.program } else { name.rsplit('/').next().unwrap_or(name) };
        let name = name.chars().take(LONGEST).collect();
        // What has no place holds no address.
        if end > base && self.modules.len() < MAX_MODULES {
            self.modules.insert(base, Module { name, end });
        }
        Ok(())
    }

    /// A stack: its innermost instruction, and the stack that called it.
    pub fn stack(&mut self, rest: &str) -> Taken {
        let fields: Option<Vec<u64>> = rest.split_ascii_whitespace().map(hexadecimal).collect();
        let Some([instruction, parent]) = fields.as_deref().and_then(|fields| fields.first_chunk()) else {
            return Err("not `t INSTRUCTION PARENT`".into());
        };
        if self.nodes.len() >= MAX {
            return Err("more call stacks than a program has".into());
        }
        let parent = self.index(*parent)?;
        self.nodes.push(Node { instruction: *instruction, parent, site: None });
        Ok(())
    }

    /// The number of a stack, from 1, that is known; 0 is the empty stack.
    pub fn index(&self, number: u64) -> Result<usize, String> {
        let known = usize::try_from(number).ok().filter(|&number| number <= self.nodes.len());
        known.ok_or_else(|| format!("stack {number}, but only {} were declared", self.nodes.len()))
    }

    /// The call site of a stack; it is named once.
    pub fn site(&mut self, stack: usize, recording: &mut Recording<'_>) -> Option<u32> {
        let node = *self.nodes.get(stack.checked_sub(1)?)?;
        if node.site.is_some() {
            return node.site;
        }
        recording.at_site(&self.name(stack)?);
        self.nodes[stack - 1].site = recording.site;
        recording.site
    }

    fn name(&self, mut stack: usize) -> Option<String> {
        let mut name = None;
        for _ in 0..STEPS {
            let Some(node) = stack.checked_sub(1).and_then(|at| self.nodes.get(at)) else { break };
            let here = self.place(node.instruction);
            let is_wrapper = here.starts_with("operator new");
            name = Some(here);
            if !is_wrapper {
                break;
            }
            stack = node.parent;
        }
        name
    }

    /// `function (file:line)`, `module+place`, or the address.
    fn place(&self, number: u64) -> String {
        let string = |index: usize| index.checked_sub(1).and_then(|at| self.strings.get(at)).map_or("", String::as_str);
        let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        if self.instructions.is_empty() {
            let module = self.modules.range(..=number).next_back().filter(|(_, module)| number < module.end);
            return match module {
                Some((begin, module)) => format!("{}+{:#x}", module.name, number - begin),
                None => format!("{number:#x}"),
            };
        }
        let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let Some(found) = at.and_then(|at| self.instructions.get(at)) else { return format!("instruction {number}") };
        match (string(found.function), string(found.file)) {
            ("", _) if found.module == 0 => format!("{:#x}", found.address),
            ("", _) => format!("{} at {:#x}", last(string(found.module)), found.address),
            (function, "") => function.to_owned(),
            (function, file) => format!("{function} ({}:{})", last(file), found.line),
        }
    }
}
