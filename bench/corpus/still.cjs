// Loaded before the program where two runs must write the same bytes: the clock it reads stands still, its dice too.
'use strict'
const RealDate = Date
const NOW = RealDate.UTC(2030, 0, 1)
globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [NOW] : given))
  }
}
Math.random = () => 0.5
