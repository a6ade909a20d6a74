"""Checks a page as an HTML parser and an accessibility checker would.

check_page(text) returns what is wrong: elements that do not nest, ids that are there twice, headings that
skip a level, fields without a label, tables without caption or scope, links without text, styles in
attributes. check_contrast(css) computes the contrast of every colour with its ground, light and dark.
"""
import html.parser
import re

VOID = {"meta", "link", "input", "br"}
HEADINGS = {"h1": 1, "h2": 2, "h3": 3}


class Checker(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.problems, self.ids, self.labels, self.fields = [], [], [], [], []
        self.headings, self.text, self.landmarks, self.links = [], [], set(), []
        self.language = self.title = None

    def wrong(self, text):
        self.problems.append(text)

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        attrs = dict(attrs)
        if len(names) != len(set(names)):
            self.wrong("an attribute twice in " + tag)
        for name in names:
            if name == "style" or name.startswith("on"):
                self.wrong("%s has %s" % (tag, name))
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "html":
            self.language = attrs.get("lang")
        if tag in ("header", "nav", "main", "footer"):
            self.landmarks.add(tag)
        if tag == "label":
            self.labels.append(attrs.get("for"))
        if tag == "input":
            self.fields.append(attrs.get("id"))
        if tag == "th" and "scope" not in attrs:
            self.wrong("th without scope")
        if tag == "table":
            self.text.append((tag, []))
        if tag in HEADINGS:
            self.headings.append(HEADINGS[tag])
        if tag == "a":
            self.links.append(attrs.get("href", ""))
            if not re.match(r"[/#]", attrs.get("href", "")):
                self.wrong("a link to " + str(attrs.get("href")))
        if tag == "caption" and self.open[-1][0] != "table":
            self.wrong("caption outside of a table")
        if tag not in VOID:
            self.open.append([tag, "", "caption" if tag == "caption" else ""])
            if tag == "caption" and len(self.open) > 1:
                self.open[-2][2] = "captioned"

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.wrong("</%s> closes %s" % (tag, self.open[-1][0] if self.open else "nothing"))
            return
        _, text, mark = self.open.pop()
        if tag in ("a", "h1", "h2", "th", "button", "title") and not text.strip():
            self.wrong("%s without text" % tag)
        if tag == "table" and mark != "captioned":
            self.wrong("table without caption")
        if tag == "title":
            self.title = text
        if self.open:
            self.open[-1][1] += text

    def handle_data(self, data):
        if self.open:
            self.open[-1][1] += data


def check_page(text, is_whole=True):
    checker = Checker()
    checker.feed(text)
    checker.close()
    problems = checker.problems
    problems += ["not closed: " + entry[0] for entry in checker.open]
    problems += ["id twice: " + name for name in set(checker.ids) if checker.ids.count(name) > 1]
    problems += ["field without label: %s" % name for name in checker.fields if name not in checker.labels]
    if checker.headings[:1] != [1] or checker.headings.count(1) != 1:
        problems.append("not one h1 first: %s" % checker.headings)
    for before, after in zip(checker.headings, checker.headings[1:]):
        if after > before + 1:
            problems.append("a heading skips a level")
    if checker.language != "en":
        problems.append("no language")
    if is_whole and checker.landmarks != {"header", "nav", "main", "footer"}:
        problems.append("landmarks: %s" % sorted(checker.landmarks))
    if is_whole and (not checker.links or checker.links[0] != "#main"):
        problems.append("no skip link first")
    if not checker.title or not checker.title.endswith("corset"):
        problems.append("title: %s" % checker.title)
    return problems


def links_of(text):
    checker = Checker()
    checker.feed(text)
    return checker.links


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one, other):
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


BARS = {"applied"}  # colours of bars alone: 3 to 1


def check_contrast(css):
    """Colours on the ground and on raised ground; those of bars need 3 to 1, text 4.5 to 1."""
    problems = []
    for block in re.findall(r":root \{([^}]*)\}", css):
        colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block))
        for name, colour in colours.items():
            if name in ("ground", "raised", "line"):
                continue
            needed = 3 if name in BARS else 4.5
            for ground in "ground", "raised":
                seen = contrast(colour, colours[ground])
                if seen < needed:
                    problems.append("--%s on --%s: %.2f" % (name, ground, seen))
    return problems
