// What the tests ask of an opened page; put into it by the browser's own door, which no policy of the page closes.

globalThis.probe = {
  /** Contrast of every text that is seen, the lowest first: ratio, text, element. */
  contrast() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const seen = new Map()
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement
      if (node.data.trim() === '' || element.closest('script, style, option, .sr, .skip, svg') !== null)
        continue
      if (!element.checkVisibility({ contentVisibilityAuto: false })) continue
      const style = getComputedStyle(element)
      const ground = groundOf(element)
      const key = `${style.color} on ${ground.join()}`
      if (!seen.has(key))
        seen.set(key, {
          ratio: ratioOf(over(colourOf(style.color), ground), ground),
          text: node.data.trim().slice(0, 40),
          key,
        })
    }
    for (const field of document.querySelectorAll('input[placeholder]')) {
      const ground = groundOf(field)
      const colour = getComputedStyle(field, '::placeholder').color
      seen.set('placeholder', {
        ratio: ratioOf(over(colourOf(colour), ground), ground),
        text: field.placeholder,
        key: colour,
      })
    }
    return [...seen.values()].sort((a, b) => a.ratio - b.ratio)
  },
  /** The same for the lines and dots of the drawing. */
  drawing() {
    return [...document.querySelectorAll('.graph .edge, .graph .node')].map((shape) => {
      const ground = groundOf(shape.closest('svg'))
      const { stroke, fill } = getComputedStyle(shape)
      const ratios = [stroke, fill].filter((c) => c !== 'none').map((c) => ratioOf(colourOf(c), ground))
      return Math.max(...ratios)
    })
  },
  /** What the policy stopped when everything that loads or runs was tried. */
  async tryAll(host) {
    const stopped = []
    document.addEventListener('securitypolicyviolation', (event) => stopped.push(event.effectiveDirective))
    const put = (name, values) => document.body.append(Object.assign(document.createElement(name), values))
    put('img', { src: `http://${host}/a.png` })
    put('script', { textContent: 'globalThis.ran = 1' })
    put('script', { src: `http://${host}/a.js` })
    put('style', { textContent: 'body { color: red }' })
    put('link', { rel: 'stylesheet', href: `http://${host}/a.css` })
    put('iframe', { src: `http://${host}/` })
    put('object', { data: `http://${host}/a` })
    put('video', { src: `http://${host}/a.mp4` })
    put('div', { innerHTML: '<b onclick="globalThis.ran = 2" style="color: red">x</b>' })
    document.body.lastChild.firstChild.click()
    await fetch(`http://${host}/`).catch(() => {})
    try {
      new WebSocket(`ws://${host}/`)
    } catch {
      // It says so by its event.
    }
    const sleep = (ms) => new Promise((done) => setTimeout(done, ms))
    // A busy machine tells of some of the nine only after a while.
    for (let round = 0; round < 100 && new Set(stopped).size < 9; round++) await sleep(100)
    await sleep(300)
    return { stopped: [...new Set(stopped)].sort(), ran: globalThis.ran ?? null }
  },
  /** Rows and dots: how far their middles are apart, in pixels. */
  offsets() {
    const middle = (element) => {
      const box = element.getBoundingClientRect()
      return box.top + box.height / 2
    }
    const shown = (selector) =>
      [...document.querySelectorAll(selector)].filter((element) => !element.hasAttribute('hidden'))
    const rows = shown('#timeline ol > li').map(middle)
    return shown('.graph .node').map((node, i) => Math.abs(middle(node.lastElementChild) - rows[i]))
  },
  paths: () => [...document.querySelectorAll('.graph .edge')].map((edge) => edge.getAttribute('d')),
  shownGoals: () =>
    [...document.querySelectorAll('article.brief:not([hidden]) h2')].map((h) => h.textContent),
  active() {
    const element = document.activeElement
    return element.id || element.getAttribute('href') || element.getAttribute('name') || element.tagName
  },
  /** What is wrong with names, headings and references. */
  structure() {
    const wrong = []
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
    if (new Set(ids).size !== ids.length) wrong.push('an id stands twice')
    for (const element of document.querySelectorAll('[aria-labelledby]'))
      if (document.getElementById(element.getAttribute('aria-labelledby')) === null)
        wrong.push(`no label: ${element.id}`)
    for (const link of document.querySelectorAll('a[href^="#"]'))
      if (document.getElementById(link.getAttribute('href').slice(1)) === null)
        wrong.push(`no target: ${link.href}`)
    let level = 0
    for (const heading of document.querySelectorAll('body > :not(dialog) :is(h1, h2, h3, h4)')) {
      const next = Number(heading.tagName[1])
      if (next > level + 1) wrong.push(`h${level} is followed by h${next}: ${heading.textContent}`)
      level = next
    }
    for (const field of document.querySelectorAll('input, select, button'))
      if ((field.labels?.length ?? 0) === 0 && field.textContent.trim() === '')
        wrong.push(`no name: ${field.outerHTML}`)
    return wrong
  },
}

function groundOf(element) {
  const layers = []
  for (let at = element; at !== null; at = at.parentElement) {
    const colour = colourOf(getComputedStyle(at).backgroundColor)
    // The face of a radio button is its label beside it.
    layers.push(colour)
    if (colour[3] === 1) break
  }
  return layers.reverse().reduce((ground, colour) => over(colour, ground), [255, 255, 255])
}

const over = (colour, ground) =>
  ground.slice(0, 3).map((part, i) => colour[i] * colour[3] + part * (1 - colour[3]))

function colourOf(text) {
  const [r = 0, g = 0, b = 0, a = 1] = (text.match(/[\d.]+/g) ?? []).map(Number)
  return text === 'transparent' ? [0, 0, 0, 0] : [r, g, b, a]
}

function ratioOf(one, other) {
  const [a, b] = [luminance(one), luminance(other)].sort((x, y) => y - x)
  return (a + 0.05) / (b + 0.05)
}

function luminance(colour) {
  const [r, g, b] = colour.slice(0, 3).map((part) => {
    const value = part / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
