const START = Date.parse('2026-03-02T09:00:00Z')

/** A clock that goes on by some seconds with each record; session after session begins a day later. */
export function makeClock(day = 0) {
  let now = START + day * 86_400_000
  return () => {
    now += 7_000
    return new Date(now)
  }
}

/** Puts the ids of commits, known only when git has made them, into the texts of a session. */
export const withCommits = (events, ids) =>
  JSON.parse(
    JSON.stringify(events).replace(/@@commit:(-?\d+)@@/g, (_, n) => (ids[n] ?? 'nothing').slice(0, 7)),
  )

/** The lines of a file as a tool prints them. */
export const numbered = (text) =>
  text
    .split('\n')
    .map((line, n) => `${String(n + 1).padStart(6)}\t${line}`)
    .join('\n')

/** A diff of one place: its lines before and after. */
export const lineDiff = (before, after) => {
  const [olds, news] = [before.split('\n'), after.split('\n')]
  const lines = [...olds.map((line) => `-${line}`), ...news.map((line) => `+${line}`)]
  return `@@ -1,${olds.length} +1,${news.length} @@\n${lines.join('\n')}\n`
}

/** What the tools of an agent cannot do, its shell does. */
export const byShell = (event) => ({
  ...event,
  tool: 'shell',
  command: event.tool === 'move' ? `git mv ${event.path} ${event.to}` : `rm ${event.path}`,
})
