// Draws the briefs of the data in this page, filters them, moves between them and keeps the timeline in step. A text of a
// brief only ever becomes a text node.

void (async () => {
  const packed = atob(document.getElementById('data').textContent)
  const bytes = Uint8Array.from(packed, (char) => char.charCodeAt(0))
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  const data = JSON.parse(await new Response(unpacked).text())
  const { briefs } = data
  const find = (selector, from = document) => [...from.querySelectorAll(selector)]
  const byId = (id) => document.getElementById(id)

  // ------------------------------------------------------------ elements

  const put = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes))
      if (value !== undefined) element.setAttribute(name, value)
    element.append(
      ...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false),
    )
    return element
  }
  const el = (name, attributes = {}, ...children) => put(document.createElement(name), attributes, children)
  const svg = (name, attributes = {}, ...children) =>
    put(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children)
  const auto = (text, name = 'span', kind = undefined) => el(name, { class: kind, dir: 'auto' }, text)
  const code = (text) => el('code', { class: 'path', dir: 'ltr' }, text)
  const joined = (parts, between) => parts.flatMap((part, i) => (i > 0 ? [between, part] : [part]))
  const plural = (count, one) => `${count} ${one}${count === 1 ? '' : 's'}`
  const sha = (commit) => el('code', {}, commit.slice(0, 12))

  const rowOf = new Map(briefs.map(({ id }, row) => [id, row]))
  const known = new Set(data.links.map(({ id }) => id))
  const followers = new Map()
  for (const { id, parents } of data.links)
    for (const parent of parents) followers.set(parent, [...(followers.get(parent) ?? []), id])
  const branches = [...new Set(briefs.map(({ branch }) => branch))]
  const hueOf = ({ branch }) => `hue${branches.indexOf(branch) % 8}`
  const isClosing = ({ kind }) => kind === 'done'
  const isOpen = ({ state }) => state === 'open'

  /** How a brief is named: a link where it is on the page. */
  const linkTo = (id) =>
    rowOf.has(id)
      ? el('a', { class: 'id', href: `#b-${id}`, title: id }, id.slice(-8))
      : el('code', { class: 'id' }, id)

  const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
  /** In UTC, as it is recorded. */
  function dateOf(at, isDay = false) {
    const [, year, month, day, time] = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d)/.exec(at) ?? []
    const name = MONTHS[Number(month) - 1]
    if (name === undefined) return at
    return `${Number(day)} ${name} ${year}${isDay ? '' : `, ${time}`}`
  }

  // ------------------------------------------------------------ markdown for reading

  const ITEM = /^( *)(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)$/
  const FENCE = /^( *)(`{3,}|~{3,})/
  const HEADING = /^#{1,6}\s+(.*)$/
  const QUOTE = /^> ?/
  const unescaped = (text) => text.replace(/^\\(?=[#>\-+*_=`~[|])/, '').replace(/^(\d{1,9})\\(?=[.)])/, '$1')
  /** Text with its code spans set as code, and with links to the briefs it names. */
  const inline = (text) =>
    unescaped(text)
      .split(/`([^`]+)`/)
      .map((part, i) =>
        i % 2 === 1
          ? el('code', { dir: 'ltr' }, part)
          : part
              .split(/\b(\d{8}T\d{6}-[0-9a-f]{8})\b/)
              .map((words, at) => (at % 2 === 1 ? linkTo(words) : words)),
      )
  const block = (text) => el('pre', {}, auto(text, 'code'))
  const paragraph = (line) => (line.trim() === '' ? null : el('p', { dir: 'auto' }, inline(line.trim())))
  const closes = (line, fence) =>
    line.trim().startsWith(FENCE.exec(fence)[2]) && /^(?:`+|~+)$/.test(line.trim())
  const blockFrom = (lines, at, test) => {
    let end = at + 1
    while (end < lines.length && test(lines[end])) end++
    return lines.slice(at, end)
  }

  /** Headings, quotes, nested lists, code and paragraphs; lines of a table keep their columns, and nothing is left out. */
  function prose(lines) {
    const out = []
    for (let at = 0; at < lines.length; ) {
      const line = lines[at]
      const goesOn = (test) => blockFrom(lines, at, test)
      let rows = [line]
      if (FENCE.test(line)) {
        rows = goesOn((next) => !closes(next, line))
        out.push(block(rows.slice(1).join('\n')))
        at++
      } else if (QUOTE.test(line)) {
        rows = goesOn((next) => QUOTE.test(next))
        const inner = rows.map((row) => row.replace(QUOTE, ''))
        out.push(el('blockquote', {}, QUOTE.test(inner[0]) ? inner.map(paragraph) : prose(inner)))
      } else if (ITEM.test(line)) {
        rows = goesOn(itemGoesOn())
        out.push(list(nested(rows)))
      } else if (line.startsWith('|')) {
        rows = goesOn((next) => next.startsWith('|'))
        out.push(block(rows.join('\n')))
      } else if (HEADING.test(line)) out.push(el('h4', { dir: 'auto' }, inline(HEADING.exec(line)[1])))
      else out.push(paragraph(line))
      at += rows.length
    }
    return out
  }

  const list = (items) =>
    el(
      'ul',
      {},
      items.map(({ text, blocks, below }) =>
        el(
          'li',
          {},
          el('span', { class: 'say', dir: 'auto' }, inline(text)),
          blocks.map(block),
          below.length > 0 && list(below),
        ),
      ),
    )

  /** Code that is set in belongs to the item above; a line without a mark goes on with it. */
  function itemGoesOn() {
    let fence = null
    return (next) => {
      if (fence !== null) {
        if (closes(next, fence)) fence = null
        return true
      }
      if (/^ /.test(next) && FENCE.test(next)) fence = next
      return (
        fence !== null || (next.trim() !== '' && ![FENCE, HEADING, QUOTE].some((mark) => mark.test(next)))
      )
    }
  }

  function nested(rows) {
    const root = { indent: -1, text: '', blocks: [], below: [] }
    const path = [root]
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]
      const item = ITEM.exec(row)
      while (item !== null && path.length > 1 && path.at(-1).indent >= item[1].length) path.pop()
      const last = path.at(-1)
      if (item !== null) {
        path.push({ indent: item[1].length, text: item[2], blocks: [], below: [] })
        last.below.push(path.at(-1))
      } else if (FENCE.test(row)) {
        const margin = FENCE.exec(row)[1]
        const inner = blockFrom(rows, at, (next) => !closes(next, row)).slice(1)
        last.blocks.push(
          inner.map((line) => (line.startsWith(margin) ? line.slice(margin.length) : line)).join('\n'),
        )
        at += inner.length + 1
      } else last.text += ` ${row.trim()}`
    }
    return root.below
  }

  // ------------------------------------------------------------ a brief

  const MARKS = [
    ['current', ({ isCurrent }) => isCurrent, 'the current brief of this checkout'],
    ['open', isOpen, 'nobody has closed, landed or followed it'],
    ['landed', ({ state }) => state === 'landed', 'its work is in the trunk'],
    ['closed', ({ state }) => state === 'closed', 'a record of done ended it'],
    ['parked', ({ isParked }) => isParked, 'it waits to be committed to its branch'],
    [
      'edited',
      ({ edited }) => edited,
      'its file was changed after it was committed; this is what was committed first',
    ],
    ['duplicate', ({ duplicate }) => duplicate, 'another file carries the same id'],
  ]
  const marksOf = (brief) =>
    MARKS.filter(([, holds]) => holds(brief)).map(([mark, , title]) => el('em', { class: mark, title }, mark))
  const whoOf = ({ author, agent }) => (author === undefined ? agent : `${author} with ${agent}`)
  const branchOf = (brief) => auto(brief.branch ?? '(detached)', 'span', `branch ${hueOf(brief)}`)
  const timeOf = ({ createdAt }) => el('time', { datetime: createdAt }, dateOf(createdAt))
  const part = (kind, id, title, ...children) =>
    el('section', { class: kind, 'aria-labelledby': id }, el('h3', { id }, title), children)

  /** One brief, for reading: its goal, what changed, whether it is still true, then what it says. */
  function article(brief) {
    const { text, why } = brief
    const name = `b-${brief.id}`
    return el(
      'article',
      { class: 'brief', id: name, tabindex: '-1', 'aria-labelledby': `${name}-goal` },
      el(
        'header',
        {},
        el(
          'p',
          { class: 'over' },
          joined(
            [
              timeOf(brief),
              branchOf(brief),
              auto(whoOf(brief)),
              ...(brief.persona === undefined ? [] : [auto(`as ${brief.persona}`)]),
              ...marksOf(brief),
            ],
            ' ',
          ),
        ),
        el('h2', { id: `${name}-goal`, dir: 'auto' }, text?.goal ?? brief.goal),
        typeof text?.focus === 'string' &&
          el('p', { class: 'focus', dir: 'auto' }, el('b', {}, 'Focus'), ' ', inline(text.focus)),
        isClosing(brief) &&
          el(
            'p',
            { class: 'outcome', dir: 'auto' },
            el('b', {}, 'Closed'),
            ' ',
            text?.closed ?? '(no outcome told)',
          ),
        lineage(brief),
      ),
      brief.changes.map((change, at) => changed(change, `${name}-c${at}`)),
      text === null
        ? el(
            'p',
            { class: 'note lost' },
            `The text of this brief cannot be shown: ${why}. `,
            el('code', {}, `handoff show ${brief.id}`),
            ' says more.',
          )
        : text.sections.map((section, at) => sectionOf(section, `${name}-s${at}`)),
      record(brief, name),
    )
  }

  function lineage({ id, parents }) {
    const before = parents.map((parent) => [
      linkTo(parent),
      rowOf.has(parent)
        ? ''
        : known.has(parent)
          ? ', which is not on this page'
          : ', which is not in the history that is here',
    ])
    const next = followers.get(id) ?? []
    return el(
      'p',
      { class: 'lineage' },
      parents.length === 0 ? 'The first of its chain' : ['Follows ', joined(before, ' and ')],
      next.length > 0 && ['; followed by ', joined(next.map(linkTo), ', ')],
      '.',
    )
  }

  function changed({ since, lines }, id) {
    const count = lines.length > 0 && [' ', el('span', { class: 'count' }, lines.length)]
    return el(
      'section',
      { class: 'panel since', 'aria-labelledby': id },
      el(
        'details',
        { open: '' },
        el('summary', {}, el('h3', { id }, 'Changed since ', linkTo(since), count)),
        lines.length === 0
          ? el('p', { class: 'note' }, 'It says the same.')
          : el('ul', {}, lines.map(change)),
      ),
    )
  }

  function change(line) {
    const [, label = line, rest = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    const kind = /dropped/i.test(label) ? 'gone' : /changed/i.test(label) ? 'changed' : 'added'
    return el(
      'li',
      { class: kind },
      el('b', {}, label),
      ' ',
      el('span', { class: 'say', dir: 'auto' }, inline(rest)),
    )
  }

  function sectionOf({ id, heading, lines }, name) {
    if (lines.every((line) => line.trim() === '')) return null
    // What a reader wants first stands wide, the rest beside one another where there is room.
    const kind = id === 'status' ? 'aside' : (id ?? 'other')
    return part(
      `part ${kind}`,
      name,
      auto(heading === '' ? 'Before the first heading' : heading),
      prose(lines),
    )
  }

  function record(brief, name) {
    const { text, others = [] } = brief
    const rows = [
      ['Id', el('code', {}, brief.id)],
      ['Reason', text && auto(text.reason)],
      [
        'Made at',
        text &&
          (text.head === null
            ? 'before the first commit'
            : [sha(text.head), text.dirty && ', with uncommitted changes']),
      ],
      ['Brought by', ['commit ', sha(brief.commit), !brief.inTree && ', no longer in the tree of HEAD']],
      ['File', code(brief.path)],
      [
        'Also',
        others.length > 0 &&
          joined(
            others.map((other) => [
              other.path === brief.path ? 'the same file' : code(other.path),
              ' at ',
              sha(other.commit),
            ]),
            ', ',
          ),
      ],
      ['Resumed from', text?.resumedFrom && linkTo(text.resumedFrom)],
    ]
    return part(
      'part record',
      `${name}-r`,
      'Record',
      el(
        'dl',
        {},
        rows.map(([term, what]) => what && el('div', {}, el('dt', {}, term), el('dd', {}, what))),
      ),
    )
  }

  // ------------------------------------------------------------ the timeline

  /** Height of a row, a lane, and what all lanes may take together; 16 units are one rem. */
  const [ROW, LANE, MOST, MARGIN] = [64, 20, 200, 16]

  /**
   * A brief takes the lane of the child that waits for it, else a free one; where several wait it is a fork. Another parent than
   * the first is waited for in a lane of its own: `via` is its middle. `to` is null where the parent is not drawn.
   */
  function layout() {
    const [waiting, lanes, edges] = [[], [], []]
    const laneFor = (row) =>
      [waiting.indexOf(row), waiting.indexOf(null)].find((at) => at !== -1) ?? waiting.length
    for (const [row, { parents }] of briefs.entries()) {
      const own = laneFor(row)
      for (const [i, awaited] of waiting.entries()) if (awaited === row) waiting[i] = null
      waiting[own] = null
      lanes.push(own)
      for (const [at, parent] of parents.entries()) {
        const to = rowOf.get(parent) ?? null
        const isOlder = to !== null && to > row
        const lane = at === 0 || !isOlder ? own : laneFor(to)
        if (isOlder) waiting[lane] = to
        const kind = isOlder ? 'parent' : to !== null ? 'cycle' : known.has(parent) ? 'cut' : 'missing'
        edges.push({ from: row, to, kind, lane })
      }
    }
    const middle = (lane) => Math.round(MARGIN + lane * Math.min(LANE, MOST / Math.max(1, waiting.length)))
    return {
      places: lanes.map(middle),
      width: middle(Math.max(0, waiting.length - 1)) + MARGIN,
      edges: edges.map(({ from, to, kind, lane }) => ({
        ...{ from, to, kind },
        via: lane === lanes[from] ? undefined : middle(lane),
      })),
    }
  }

  const { places, width, edges: lines } = layout()
  const dot = (r) => svg('circle', { r })
  const halo = () => svg('circle', { class: 'halo', r: 11 })
  const tick = () => [
    svg('rect', { x: -6, y: -6, width: 12, height: 12, rx: 3 }),
    svg('path', { class: 'tick', d: 'M-2.8 .2l2 2 3.6-4' }),
  ]

  function nodeOf(brief) {
    const kind = isClosing(brief) ? ' closing' : isOpen(brief) ? ' head' : ''
    return svg(
      'g',
      { class: `node ${hueOf(brief)}${kind}${brief.isParked ? ' parked' : ''}` },
      brief.isCurrent && halo(),
      isClosing(brief) ? tick() : dot(isOpen(brief) ? 6 : 5),
    )
  }

  /** There is room for one mark; the drawing tells the rest, and the article all. */
  function rowOfBrief(brief) {
    const goal = isClosing(brief) ? `Closed: ${brief.text?.closed ?? brief.goal}` : brief.goal
    const words = joined(
      [timeOf(brief), ...marksOf(brief).slice(0, 1), branchOf(brief), auto(whoOf(brief))],
      ' ',
    )
    return el(
      'li',
      {},
      el('a', { href: `#b-${brief.id}` }, auto(goal, 'span', 'goal'), el('span', { class: 'when' }, words)),
    )
  }

  /** What the shapes mean, and only those that occur. */
  function legend() {
    const mark = (...shape) =>
      svg(
        'svg',
        { 'aria-hidden': 'true', width: '1.75rem', height: '1.5rem', viewBox: '-14 -12 28 24' },
        shape,
      )
    const node = (kind, ...shape) => mark(svg('g', { class: `node ${kind} hue0` }, shape))
    const line = (kind, d = 'M0 -12V10') => mark(svg('path', { class: `edge ${kind} hue0`, d }))
    const has = (kind) => lines.some((edge) => edge.kind === kind)
    const rows = [
      [briefs.some(isOpen), node('head', dot(6)), 'open'],
      [briefs.some((one) => !isOpen(one) && !isClosing(one)), node('', dot(5)), 'followed, closed or landed'],
      [briefs.some(isClosing), node('closing', tick()), 'closes its chain'],
      [
        briefs.some(({ isCurrent }) => isCurrent),
        node('head', halo(), dot(6)),
        'the current brief of this checkout',
      ],
      [briefs.some(({ isParked }) => isParked), node('parked', dot(5)), 'parked: not yet in a branch'],
      [has('missing'), line('missing'), 'a parent is not in the history that is here'],
      [has('cut'), line('cut'), 'a parent is not on this page'],
      [has('cycle'), line('cycle', 'M0 10C12 8 12 -8 0 -10'), 'a brief that names a later one as its parent'],
    ]
    return el(
      'ul',
      { class: 'legend', 'aria-label': 'What the shapes mean' },
      rows.filter(([occurs]) => occurs).map(([, shape, words]) => el('li', {}, shape, ` ${words}`)),
    )
  }

  // ------------------------------------------------------------ the page

  function summary() {
    const [newest, oldest] = [briefs[0], briefs.at(-1)].map((brief) => brief && dateOf(brief.createdAt, true))
    const span = newest === undefined ? '' : newest === oldest ? `, ${newest}` : `, ${oldest} to ${newest}`
    const full = briefs.filter(({ why }) => why === 'the page is full').length
    return el(
      'p',
      { class: 'summary' },
      el('b', {}, plural(briefs.length, 'brief')),
      `. Lines of work: ${lineCounts()}. From ${data.scope}${span}.`,
      data.left > 0 && [
        ' ',
        el(
          'strong',
          {},
          `${plural(data.left, 'older brief')} left out: a page holds ${briefs.length}. Narrow it with the options of `,
          el('code', {}, 'handoff log'),
          '.',
        ),
      ],
      full > 0 && [
        ' ',
        el(
          'strong',
          {},
          `Of ${plural(full, 'brief')} only the head is here: the texts were too long for one page.`,
        ),
      ],
    )
  }

  const ends = briefs.filter(
    ({ state, kind, id }) => state !== 'followed' && (kind === 'done' || !followers.has(id)),
  )
  /** `2 open, 33 landed`: each line of work by the state of its last brief. */
  const lineCounts = () =>
    ['open', 'landed', 'closed']
      .map((state) => [ends.filter((one) => one.state === state).length, state])
      .filter(([count]) => count > 0)
      .map((pair) => pair.join(' '))
      .join(', ') || 'none'

  const MOST_OPEN = 8
  /** What is open, first: whose it is, and for what. */
  const openLines = () => {
    const open = ends.filter(isOpen)
    return (
      open.length > 0 &&
      el(
        'ul',
        { class: 'open-lines', 'aria-label': 'Open lines of work' },
        open
          .slice(0, MOST_OPEN)
          .map((brief) =>
            el(
              'li',
              { class: 'open-line' },
              el('a', { href: `#b-${brief.id}`, dir: 'auto' }, brief.goal),
              el(
                'span',
                { class: 'when' },
                joined([auto(whoOf(brief)), branchOf(brief), timeOf(brief)], ' '),
              ),
            ),
          ),
        open.length > MOST_OPEN && el('li', {}, `${open.length - MOST_OPEN} more`),
      )
    )
  }

  /** Choices that make a difference. */
  function fields() {
    const choices = [
      ['branch', 'Branch', '(detached)'],
      ['agent', 'Agent', '(none)'],
      ['author', 'Person', '(none)'],
      ['persona', 'Persona', '(none)'],
      ['state', 'Line of work', ''],
    ].map(([name, label, none]) => {
      const values = [...new Set(briefs.map((brief) => brief[name] ?? ''))].sort()
      const options = values.map((value) => el('option', { value }, value === '' ? none : value))
      return (
        values.length > 1 &&
        el('label', {}, `${label} `, el('select', { name }, el('option', { value: '*' }, 'all'), options))
      )
    })
    const search = {
      ...{
        type: 'search',
        name: 'text',
        placeholder: 'in all briefs',
        autocomplete: 'off',
        spellcheck: 'false',
      },
      'aria-keyshortcuts': '/',
    }
    return [
      el('label', { class: 'find' }, 'Search ', el('input', search)),
      choices,
      el('label', {}, 'Since ', el('input', { type: 'date', name: 'since' })),
      el('button', { type: 'button' }, 'Clear'),
    ]
  }

  document.title = `Handoffs of ${data.name}`
  byId('name').textContent = data.name
  put(find('.masthead')[0], {}, [
    summary(),
    openLines(),
    data.notices.length > 0 &&
      el(
        'ul',
        { class: 'notices', 'aria-label': 'What is not as it should be' },
        data.notices.map((line) => auto(line, 'li')),
      ),
  ])
  const [form, found, none, rail, help, single] = [
    'filters',
    'found',
    'none',
    'timeline',
    'help',
    'single',
  ].map(byId)
  const articles = briefs.map(article)
  const rows = briefs.map(rowOfBrief)
  const links = rows.map((row) => row.querySelector('a'))
  const nodes = briefs.map(nodeOf)
  const edges = lines.map(({ from, kind }) => svg('path', { class: `edge ${kind} ${hueOf(briefs[from])}` }))
  const graph = svg(
    'svg',
    { class: 'graph', 'aria-hidden': 'true', focusable: 'false', width: `${width / 16}rem` },
    svg('g', { class: 'edges' }, edges),
    svg('g', { class: 'nodes' }, nodes),
  )
  put(form, {}, fields())
  if (briefs.length > 0) put(rail, {}, [el('div', { class: 'rows' }, graph, el('ol', {}, rows)), legend()])
  none.before(
    ...articles,
    ...(briefs.length > 0
      ? []
      : [
          data.links.length > 0
            ? el(
                'p',
                { class: 'empty' },
                `None of ${plural(data.links.length, 'brief')} fits what was asked for.`,
              )
            : el(
                'p',
                { class: 'empty' },
                'No briefs yet. ',
                el('code', {}, 'handoff create "<goal>"'),
                ' makes the first.',
              ),
        ]),
  )
  form.hidden = articles.length < 2
  byId('keys').hidden = false

  // ------------------------------------------------------------ filters

  const texts = new Map()
  const textOf = (i) => {
    if (!texts.has(i)) texts.set(i, articles[i].textContent.toLowerCase())
    return texts.get(i)
  }
  let shown = articles.map(() => true)

  function filter() {
    const chosen = new FormData(form)
    const words = (chosen.get('text') ?? '').toLowerCase().split(/\s+/).filter(Boolean)
    const since = chosen.get('since') ?? ''
    const fits = (name, value) => [null, '*', value].includes(chosen.get(name))
    shown = briefs.map(
      (brief, i) =>
        ['branch', 'agent', 'author', 'persona', 'state'].every((name) => fits(name, brief[name] ?? '')) &&
        brief.createdAt.slice(0, 10) >= since &&
        words.every((word) => textOf(i).includes(word)),
    )
    for (const [i, isShown] of shown.entries()) {
      articles[i].hidden = !isShown
      rows[i].hidden = !isShown
    }
    const count = shown.filter(Boolean).length
    none.hidden = count > 0
    found.textContent = count === shown.length ? '' : `${count} of ${shown.length} briefs`
    draw()
    mark(current)
  }

  /** Rows that are left close up; what is filtered out has no dot, and its lines pass between the rows. */
  function draw() {
    const heights = []
    let count = 0
    for (const isShown of shown) {
      heights.push(isShown ? (count + 0.5) * ROW : count * ROW)
      if (isShown) count++
    }
    // A line is drawn where something that is shown stands on both of its ends, however far away.
    const [above, below] = [[...shown], [...shown]]
    for (const { from, to } of lines) if (to !== null && to > from && above[from]) above[to] = true
    for (const { from, to } of [...lines].reverse())
      if (to !== null && to > from && below[to]) below[from] = true
    for (const [i, { from, to, via }] of lines.entries()) {
      const edge = edges[i]
      const isDrawn =
        to === null || to <= from ? shown[from] && (to === null || shown[to]) : above[from] && below[to]
      edge.toggleAttribute('hidden', !isDrawn)
      edge.classList.toggle('skip', isDrawn && !(shown[from] && shown[to ?? from]))
      edge.setAttribute('d', path(places[from], heights[from], places[to], heights[to], via))
    }
    for (const [i, node] of nodes.entries()) {
      node.toggleAttribute('hidden', !shown[i])
      node.setAttribute('transform', `translate(${places[i]} ${heights[i]})`)
    }
    const height = Math.max(1, count * ROW)
    graph.setAttribute('viewBox', `0 0 ${width} ${height}`)
    graph.setAttribute('height', `${height / 16}rem`)
  }

  /** From a child to its parent: along the lane of the child or the one at `via`, then over. */
  function path(x1, y1, x2, y2, via = x1) {
    if (x2 === undefined) return `M${x1} ${y1}V${y1 + 27}`
    if (y2 < y1 || (y2 === y1 && x1 === x2))
      return `M${x1} ${y1}C${x1 + 28} ${y1 + 12} ${x2 + 28} ${y2 - 12} ${x2} ${y2}`
    const top = via === x1 ? y1 : y1 + Math.min(44, (y2 - y1) / 2)
    const start = `M${x1} ${y1}${via === x1 ? '' : `C${x1} ${y1 + 28} ${via} ${y1 + 16} ${via} ${top}`}`
    if (via === x2) return `${start}V${y2}`
    const bend = Math.max(top, y2 - 44)
    return `${start}V${bend}C${via} ${y2 - 16} ${x2} ${y2 - 28} ${x2} ${y2}`
  }

  form.addEventListener('submit', (event) => event.preventDefault())
  form.addEventListener('input', filter)
  form.querySelector('button').addEventListener('click', clear)

  function clear() {
    form.reset()
    filter()
  }

  // ------------------------------------------------------------ where the reader is

  let current = -1
  /** Where the page stood when an article was opened: until the reader scrolls it is the one that is read. */
  let landed = -1

  function mark(i) {
    links[current]?.removeAttribute('aria-current')
    current = i
    const link = links[i]
    if (link === undefined) return
    link.setAttribute('aria-current', 'true')
    const row = rows[i]
    if (row.hidden) return
    const top = row.offsetTop - rail.offsetTop
    if (top < rail.scrollTop || top + row.offsetHeight > rail.scrollTop + rail.clientHeight)
      rail.scrollTop = top - rail.clientHeight / 2
  }

  function open(i) {
    const article = articles[i]
    if (article === undefined) return
    // A link may lead to what is filtered out.
    if (article.hidden) clear()
    mark(i)
    article.focus({ preventScroll: true })
    article.scrollIntoView({ block: 'start' })
    landed = scrollY
  }

  /** The next one that is shown, from `i` in a direction; -1 when there is none. */
  function beside(i, step) {
    for (let at = i + step; at >= 0 && at < shown.length; at += step) if (shown[at]) return at
    return -1
  }

  // The article that covers the line below the head of the page is the one that is read.
  const watch = new IntersectionObserver(
    (entries) => {
      if (scrollY === landed) return
      for (const entry of entries) if (entry.isIntersecting) mark(articles.indexOf(entry.target))
    },
    { rootMargin: '-20% 0px -79% 0px' },
  )
  for (const article of articles) watch.observe(article)
  addEventListener('hashchange', () => open(articles.findIndex(({ id }) => `#${id}` === location.hash)))

  // ------------------------------------------------------------ colours

  const themes = find('input[name=theme]')
  const keep = (work) => {
    try {
      return work()
    } catch {
      return null // A browser may refuse to remember anything for a local file; the choice then lasts as long as the page.
    }
  }
  const kept = keep(() => localStorage.getItem('handoff-theme'))
  for (const theme of themes) {
    if (theme.value === kept) theme.checked = true
    theme.addEventListener('change', () => keep(() => localStorage.setItem('handoff-theme', theme.value)))
  }

  // ------------------------------------------------------------ keys

  const actions = {
    j: () => open(beside(current, 1)),
    ArrowRight: () => open(beside(current, 1)),
    k: () => open(beside(current, -1)),
    ArrowLeft: () => open(beside(current, -1)),
    '/': () => form.hidden || form.elements.text.focus(),
    '?': () => help.showModal(),
    t: () => themes[(themes.findIndex(({ checked }) => checked) + 1) % themes.length].click(),
  }

  document.addEventListener('keydown', (event) => {
    const { key, target } = event
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || help.open) return
    if (key === 'Escape') {
      if (form.hidden) return
      clear()
      if (form.contains(target)) target.blur()
      return
    }
    if (target.closest('input, select, textarea')) return
    const inRail = links.indexOf(target.closest('#timeline ol a'))
    const step = { ArrowDown: 1, ArrowUp: -1 }[key]
    if (inRail !== -1 && (step !== undefined || key === 'Home' || key === 'End')) {
      const to =
        step === undefined
          ? key === 'Home'
            ? beside(-1, 1)
            : beside(shown.length, -1)
          : beside(inRail, step)
      links[to]?.focus()
    } else if (actions[key] !== undefined && (key.length > 1 || single.checked)) actions[key]()
    else return
    event.preventDefault()
  })

  byId('keys').addEventListener('click', () => help.showModal())
  byId('close').addEventListener('click', () => help.close())
  draw()
  if (location.hash.startsWith('#b-')) open(articles.findIndex(({ id }) => `#${id}` === location.hash))
  else if (articles.length > 0) mark(0)
})()
