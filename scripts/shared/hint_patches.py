"""The change of the source that follows a hint: what a person would write, by rule.

A patch has one or more forms. The first that compiles is taken. A `weak` property is implicitly unwrapped, so that a
program which uses it too late stops, as one does whose object died early.
"""
import re

DECLARATION = re.compile(r'\b(func|init|class|struct|enum|extension|protocol|actor|if|guard|for|while|switch|do|else|'
                         r'get|set|deinit|subscript|catch|repeat)\b[^={]*$')


def forms(place, source):
    """The forms of the patch at one place of a hint: edits (first line, end, new lines). Empty: no rule knows it."""
    if not place['file'] or not place['line']:
        return []
    index = place['line'] - 1
    if index >= len(source):
        return []
    if place['kind'] == 'property':
        return property_forms(place, source, index)
    if place['kind'] == 'closure':
        return closure_forms(place, source, index)
    return []


def property_forms(place, source, index):
    name = re.escape(place['name'].rsplit('.', 1)[-1].strip('`'))
    declared = re.search(r'\b(let|var)\s+(?:\w+\s*:[^={;]*,\s*)?' + name + r'\s*:\s*((?:any\s+)?[\w.<>,\[\] ]+?)([?!]?)\s*(?=[={;,}/]|$)', source[index])
    inferred = re.search(r'\b(let|var)\s+' + name + r'\s*=\s*([\w.]+(?:<[^>]*>)?)\(', source[index])
    if declared:
        kind = declared[2].strip()
        optional = ('(%s)' % kind if kind.startswith('any ') else kind) + (declared[3] or '!')
        text = 'weak var %s: %s' % (name, optional)
        end = declared.end(3)
        start = declared.start()
        if ',' in declared[0]:  # let number: Int, depot: Depot
            text = declared[0][:declared[0].rindex(',')] + '; ' + text
    elif inferred:
        text = 'weak var %s: %s!' % (name, inferred[2])
        start, end = inferred.start(), inferred.end() - len(inferred[0]) + len(re.match(r'\b(?:let|var)\s+\w+', inferred[0])[0])
    else:
        return []
    line = source[index]
    plain = [line[:start] + text + line[end:]]
    unsafe = [line[:start] + 'nonisolated(unsafe) ' + text + line[end:]]
    return [[(index, index + 1, plain)], [(index, index + 1, unsafe)]]


def closure_forms(place, source, index):
    column = opening(source[index])
    if column is None:
        return []
    end = closing(source, index, column)
    name = captured(place, source, index)
    if end is None or name is None:
        return []
    if name == 'self' and not any(re.search(r'\bself\b', line) for line in source[index:end[0] + 1]):
        name = copy_of_self(source, index)
    lines = source[index:end[0] + 1]
    head, rest = lines[0][:column + 1], lines[0][column + 1:]
    listed = re.match(r'\s*\[([^\]]*)\](?=[^\n]*?\bin\b)', rest)
    header = re.match(r'\s*(\[[^\]]*\])?\s*((?:\([^)]*\)|[\w, ]+)?(?:\s*(?:async|throws))*(?:\s*->\s*[^{}]+?)?)\s*\bin\b', rest)
    names = [] if not listed else [n for n in listed[1].split(',') if n.strip() not in (name, '')]
    captures = '[' + ', '.join(['weak ' + name] + [n.strip() for n in names]) + ']'
    parameters = header[2].strip() if header else ''
    body = rest[header.end():] if header else rest
    start = head + ' ' + captures + (' ' + parameters if parameters else '') + ' in '
    guarded = [start + 'guard let %s else { return }; ' % name + body.lstrip(' ')] + lines[1:]
    if not body.strip():
        guarded = [start + 'guard let %s else { return }' % name + '\n'] + lines[1:]
    forced = [start + body] + lines[1:]
    last = len(forced) - 1
    stop = end[1] if last else end[1] + len(forced[0]) - len(lines[0])
    uses = re.compile(r'(?<![\w.\[])%s\b(?!\s*:)' % re.escape(name))
    for number in range(last + 1):
        first = len(start) if number == 0 else 0
        until = stop if number == last else len(forced[number])
        text = forced[number]
        forced[number] = text[:first] + uses.sub(name + '!', text[first:until]) + text[until:]
    return [[(index, end[0] + 1, guarded)], [(index, end[0] + 1, forced)]]


def opening(line):
    """The column of the first brace of a closure."""
    code = line.split('//')[0]
    for column, character in enumerate(code):
        if character == '{':
            before = re.split(r'[;{}]', code[:column])[-1]
            if not DECLARATION.search(before) and not re.search(r'\b(let|var)\s+\w+\s*:[^={]*$', before):
                return column
    return None


def closing(source, index, column):
    depth = 0
    for number in range(index, len(source)):
        code = source[number].split('//')[0]
        for position in range(column if number == index else 0, len(code)):
            depth += {'{': 1, '}': -1}.get(code[position], 0)
            if depth == 0:
                return number, position
    return None


def copy_of_self(source, index):
    """The constant above that is `self`, where the closure does not name it."""
    copies = (re.search(r'\blet (\w+) = self$', line.rstrip()) for line in reversed(source[max(0, index - 40):index]))
    return next((copy[1] for copy in copies if copy), 'self')


def captured(place, source, index):
    """The name of the captured variable: as the hint says it, or the nearest one above that is declared with its type."""
    text = place['captured'] or ''
    if re.fullmatch(r'\w+', text):
        return text
    kind = text.removeprefix('captured ').split('<')[0].rsplit('.', 1)[-1]
    if not kind or kind == 'variable':
        return None
    declaration = re.compile(r'(\w+)\s*(?::\s*(?:any\s+)?(?:\w+\.)*%s\b|=\s*(?:\w+\.)*%s(?:<[^>]*>)?\()' % (kind, kind))
    for number in range(index, max(-1, index - 40), -1):
        found = declaration.search(source[number])
        if found:
            return found[1]
    return None
