"""Runs patterns in as much of ImHex' language as docs/descriptions/imhex uses, and gives what they place as a tree.

Structures with numbers, characters, arrays, `@`, `if`, `while` in arrays, `$`, `parent`, and variables that are not placed.
"""
import re, struct

NUMBERS = {'u8': 'B', 'u16': 'H', 'u32': 'I', 'u64': 'Q', 's32': 'i', 'float': 'f'}
TOKEN = re.compile(r'\s*(?:(0x[0-9a-fA-F]+|\d+)|("[^"]*")|([A-Za-z_$][\w$]*)|(std::mem::eof|<<|>>|<=|>=|==|!=|&&|\|\||.))')


class Wrong(Exception):
    """The pattern does not fit the file, or is no pattern."""


def tokens(text):
    text = re.sub(r'//.*|#pragma.*|import .*', '', text).replace('std::mem::eof()', '__eof')
    found, at = [], 0
    while text[at:].strip():
        match = TOKEN.match(text, at)
        found.append(match.group(0).strip())
        at = match.end()
    return found


class Pattern:
    def __init__(self, text):
        self.tokens, self.at, self.structs, self.compiled = tokens(text), 0, {}, {}
        while self.peek() in ('struct', 'using'):
            if self.take() == 'using':
                self.take(), self.expect(';')
                continue
            name = self.take()
            self.expect('{')
            members = []
            while self.peek() != '}':
                members += self.member()
            self.expect('}'), self.expect(';')
            self.structs[name] = members
        self.file = self.take()
        self.name = self.take()
        self.expect('@'), self.expect('0x00'), self.expect(';')
        if self.at != len(self.tokens):
            raise Wrong(f'{self.tokens[self.at]} after the end')

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ''

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, token):
        if self.take() != token:
            raise Wrong(f'{self.tokens[self.at - 1]!r}, expected {token!r}')

    def until(self, end):
        """The tokens up to one that is in no bracket, as an expression of Python."""
        words, depth = [], 0
        while depth or self.peek() not in end:
            word = self.take()
            depth += word in '([' and 1 or word in ')]' and -1 or 0
            words.append(word)
        return expression(words)

    def member(self):
        """Members as (condition, order, type, name, array, offset); the type None is an assignment to `$`."""
        if self.peek() == 'if':
            self.take(), self.expect('(')
            condition = self.until(')')
            self.expect(')')
            return [(condition, *inner[1:]) for inner in self.member()]
        if self.peek() == '$':
            self.take(), self.expect('=')
            offset = self.until(';')
            self.expect(';')
            return [(None, '', None, '$', None, offset)]
        order = self.take() if self.peek() in ('be', 'le') else ''
        kind, name, array, offset = self.take(), self.take(), None, None
        if self.peek() == '=':
            self.take()
            offset = self.until(';')
            self.expect(';')
            return [(None, '', 'variable', name, None, offset)]
        if self.peek() == '[':
            self.take()
            if self.peek() == 'while':
                self.take(), self.expect('(')
                array = ('while', self.until(')'))
                self.expect(')')
            else:
                array = ('string', None) if self.peek() == ']' else ('count', self.until(']'))
            self.expect(']')
        if self.peek() == '@':
            self.take()
            offset = self.until(';')
        self.expect(';')
        if kind not in NUMBERS and kind != 'char' and kind not in self.structs and kind != self.current():
            raise Wrong(f'{kind} is not declared')
        return [(None, order, kind, name, array, offset)]

    def current(self):
        """The structure that is being declared."""
        start = max(i for i, word in enumerate(self.tokens[:self.at]) if word == 'struct')
        return self.tokens[start + 1]


def expression(words):
    """An expression of ImHex as code of Python. `a ? b : c` is the only operator that is written in another way."""
    if '?' in words:
        depth = 0
        for i, word in enumerate(words):
            depth += word in '([' and 1 or word in ')]' and -1 or 0
            if word == '?' and depth == 0:
                level = 0
                for j in range(i + 1, len(words)):
                    level += {'(': 1, ')': -1}.get(words[j], 0)
                    if words[j] == ':' and level == 0:
                        break
                return f'(({expression(words[i + 1:j])}) if ({expression(words[:i])}) else ({expression(words[j + 1:])}))'
        open_at = words.index('(')
        level, close = 0, open_at
        for close in range(open_at, len(words)):
            level += {'(': 1, ')': -1}.get(words[close], 0)
            if level == 0:
                break
        inner = expression(words[open_at + 1:close])
        return ' '.join([expression(words[:open_at]), f'({inner})', expression(words[close + 1:])])
    text, after_dot = [], False
    for word in words:
        if re.match(r'[A-Za-z_]', word) and word != '__eof':
            text.append(f'["{word}"]' if after_dot else f'look("{word}")')
        else:
            text.append({'&&': ' and ', '||': ' or ', '/': '//', '$': 'here()', '__eof': 'eof()', '!': ' not ', '.': ''}.get(word, word))
        after_dot = word == '.'
    return ''.join(text).strip()


class Reader:
    def __init__(self, pattern, data):
        self.pattern, self.data, self.at = pattern, data, 0

    def value(self, code, scopes):
        """The value of an expression in a structure."""
        if code is None:
            return None
        compiled = self.pattern.compiled.get(code)
        if compiled is None:
            compiled = self.pattern.compiled[code] = compile(code, code, 'eval')

        def look(name):
            if name == 'parent':
                return Parent(scopes[:-1])
            if name not in scopes[-1]:
                raise Wrong(f'{name} is not known in {code}')
            return scopes[-1][name]
        return eval(compiled, {'look': look, 'here': lambda: self.at, 'eof': lambda: self.at >= len(self.data)})

    def bytes(self, count):
        if count < 0 or self.at + count > len(self.data):
            raise Wrong(f'{count} bytes at {self.at:#x} are outside of the file')
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, order, kind):
        letter = NUMBERS[kind]
        return struct.unpack(('>' if order == 'be' else '<') + letter, self.bytes(struct.calcsize('<' + letter)))[0]

    def one(self, order, kind, scopes):
        return self.number(order, kind) if kind in NUMBERS else self.struct(kind, scopes)

    def array(self, order, kind, array, scopes):
        how, code = array
        if how == 'string':
            end = self.data.find(b'\0', self.at)
            text = self.bytes((end if end >= 0 else len(self.data)) - self.at)
            self.at += 1
            return text.decode('latin-1')
        if how == 'while':
            items = []
            while self.value(code, scopes):
                items.append(self.one(order, kind, scopes))
            return items
        count = self.value(code, scopes)
        if kind == 'char':
            # The size of a text of fixed size is a number in the pattern: it ends at a NUL.
            text = self.bytes(count).decode('latin-1')
            return text.split('\0')[0] if code.isdigit() else text
        if kind == 'u8':
            return self.bytes(count)
        if kind in NUMBERS:
            letter = NUMBERS[kind]
            size = struct.calcsize('<' + letter)
            return list(struct.unpack(f"{'>' if order == 'be' else '<'}{count}{letter}", self.bytes(count * size)))
        return [self.struct(kind, scopes) for _ in range(count)]

    def struct(self, kind, scopes):
        own, shown = {}, {}
        scopes = [*scopes, own]
        for condition, order, kind, name, array, offset in self.pattern.structs[kind]:
            if condition is not None and not self.value(condition, scopes):
                continue
            if kind is None:
                self.at = self.value(offset, scopes)
                continue
            if kind == 'variable':
                own[name] = self.value(offset, scopes)
                continue
            back = self.at
            if offset is not None:
                self.at = self.value(offset, scopes)
                if not 0 <= self.at <= len(self.data):
                    raise Wrong(f'{name} at {self.at:#x} is outside of the file')
            own[name] = shown[name] = self.array(order, kind, array, scopes) if array else self.one(order, kind, scopes)
            if offset is not None:
                self.at = back
        return shown


class Parent:
    """The members of the structure that a structure is in."""
    def __init__(self, scopes):
        self.scopes = scopes

    def __getitem__(self, name):
        return Parent(self.scopes[:-1]) if name == 'parent' else self.scopes[-1][name]


def run(pattern, data):
    """The tree that a pattern places over the bytes of a file."""
    try:
        return Reader(pattern, data).struct(pattern.file, [])
    except (KeyError, IndexError, struct.error, RecursionError) as error:
        raise Wrong(f'{type(error).__name__}: {error}') from error
