"""The change of the source that follows a hint: what a person would write, by rule.

A patch has one or more forms. The first that compiles is taken. A `weak` property is implicitly unwrapped, so that a
program which uses it too late stops, as one does whose object died early.
"""
import re

DECLARATION = re.compile(r'(?<![.\w])(func|init|class|struct|enum|extension|protocol|actor|if|guard|for|while|switch|do|else|'
                         r'get|set|deinit|subscript|catch|repeat)\b[^={]*$')


def forms(place, source, action=None):
    """The forms of the patch at one place of a hint: edits (first line, end, new lines). Empty: no rule knows it."""
    if not place['file'] or not place['line']:
        return []
    index = place['line'] - 1
    if index >= len(source):
        return []
    if action == 'iterateCopy':
        return loop_forms(source, index)
    if action == 'limitProtocol':
        return [form + limits(source, source[index]) for form in property_forms(place, source, index)]
    kinds = {'property': property_forms, 'closure': closure_forms, 'implicitClosure': method_forms}
    return kinds[place['kind']](place, source, index) if place['kind'] in kinds else []


def property_forms(place, source, index):
    name = re.escape(place['name'].rsplit('.', 1)[-1].strip('`'))
    declared = re.search(r'\b(let|var)\s+(?:\w+\s*:[^={;]*,\s*)?' + name + r'\s*:\s*((?:any\s+)?[\w.<>,\[\] ]+?|\(any [\w.<>, ]+\))([?!]?)\s*(?=[={;,}/]|$)', source[index])
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


def method_forms(place, source, index):
    """`action = click(times:)`, by a closure with one argument, none or two."""
    line = source[index]
    found = re.search(r'=\s*(?:self\.)?(\w+)(?:\(([\w:]+)\))?(?=\s*(?:}\s*)?$)', line)
    if not found:
        return []
    labels = [label for label in (found[2] or '').split(':') if label]
    def call(count):
        names = labels if labels else [''] * count
        arguments = ', '.join((name + ': ' if name else '') + '$%d' % number for number, name in enumerate(names))
        text = '= { [weak self] in self!.%s(%s) }' % (found[1], arguments)
        return [(index, index + 1, [line[:found.start()] + text + line[found.end():]])]
    return [call(count) for count in ([len(labels)] if labels else [1, 0, 2])]


def loop_forms(source, index):
    """A task that iterates over a copy of the stream, which ends with the object that has its continuation."""
    while index > 0 and not re.search(r'\bTask\b.*{', source[index]):
        index -= 1
    column = opening(source[index])
    end = closing(source, index, column) if column is not None else None
    lines = source[index:end[0] + 1] if end else []
    loop = re.search(r'\bawait \w+ in (?:self\.)?(\w+)', ''.join(lines))
    if not loop:
        return []
    head = re.sub(r'^\s*\[weak self\]\s*in\b', '', lines[0][column + 1:])
    rest = ['\n' if re.match(r'\s*guard let self else', line) else line for line in [head] + lines[1:]]
    rest = [re.sub(r'\bself\.' + loop[1] + r'\b', loop[1], line).replace('self.', 'self?.') for line in rest]
    rest[0] = lines[0][:column + 1] + ' [weak self, %s] in ' % loop[1] + rest[0]
    return [[(index, end[0] + 1, rest)] + finishes(source, index)]


def finishes(source, index):
    """The edit that ends the stream of the continuation that is declared above, when its object ends."""
    for number in range(index, -1, -1):
        declared = re.search(r'\b(?:let|var) (\w+): [\w.<>, ]+\.Continuation$', source[number].rstrip())
        if declared:
            return [(number, number + 1, [source[number].rstrip() + '; deinit { %s.finish() }\n' % declared[1]])]
    return []


def limits(source, line):
    """The edit that limits the protocol of a property to classes."""
    protocol = re.search(r'any ([\w.]+)', line)
    for number, text in enumerate(source):
        found = protocol and re.search(r'\bprotocol %s\b(\s*:)?' % protocol[1].rsplit('.', 1)[-1], text)
        if found:
            limited = text[:found.end()] + (' AnyObject,' if found[1] else ': AnyObject') + text[found.end():]
            return [(number, number + 1, [limited])]
    return []


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
