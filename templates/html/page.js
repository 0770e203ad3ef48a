// The page can be read without this: it filters, moves between briefs and keeps the drawing in step.

{
  const data = JSON.parse(document.getElementById('data').textContent)
  const find = (selector, from = document) => [...from.querySelectorAll(selector)]
  const byId = (id) => document.getElementById(id)
  const [form, found, none, rail, help, single] = [
    'filters',
    'found',
    'none',
    'timeline',
    'help',
    'single',
  ].map(byId)
  const articles = find('article.brief')
  const rows = find('li', rail.querySelector('ol') ?? document.createElement('ol'))
  const links = rows.map((row) => row.querySelector('a'))
  const [graph, edges, nodes] = [rail.querySelector('svg.graph'), find('.graph .edge'), find('.graph .node')]
  const places = nodes.map((node) => Number(/\(([\d.]+)/.exec(node.getAttribute('transform'))[1]))

  document.documentElement.classList.add('js')
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
    shown = data.briefs.map(
      (brief, i) =>
        ['branch', 'agent', 'persona', 'state'].every((name) => fits(name, brief[name])) &&
        brief.day >= since &&
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
    if (graph === null) return
    const { row } = data
    const heights = []
    let count = 0
    for (const isShown of shown) {
      heights.push(isShown ? (count + 0.5) * row : count * row)
      if (isShown) count++
    }
    // A line is drawn where something that is shown stands on both of its ends, however far away.
    const [above, below] = [[...shown], [...shown]]
    for (const [from, to] of data.edges) if (to !== null && to > from && above[from]) above[to] = true
    for (const [from, to] of [...data.edges].reverse())
      if (to !== null && to > from && below[to]) below[from] = true
    for (const [i, [from, to, via]] of data.edges.entries()) {
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
    const height = Math.max(1, count * row)
    graph.setAttribute('viewBox', `0 0 ${data.width} ${height}`)
    graph.setAttribute('height', `${height / 16}rem`)
  }

  /** As src/report/html-timeline.ts draws it. */
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
  if (location.hash.startsWith('#b-')) open(articles.findIndex(({ id }) => `#${id}` === location.hash))
  else if (articles.length > 0) mark(0)
}
