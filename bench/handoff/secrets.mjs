/** Values that look like secrets of known shape, made anew from the seed; none is stored. */
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const LETTERS = `${UPPER}abcdefghijklmnopqrstuvwxyz`
const WORD = `${LETTERS}0123456789`

export const SHAPES = {
  github: (dice) => `ghp_${dice.chars(WORD, 36)}`,
  aws: (dice) => `AKIA${dice.chars(`${UPPER}234567`, 16)}`,
  slack: (dice) =>
    `xoxb-${dice.chars('123456789', 12)}-${dice.chars('123456789', 12)}-${dice.chars(WORD, 24)}`,
  stripe: (dice) => `sk_live_${dice.chars(WORD, 24)}`,
  anthropic: (dice) => `sk-ant-api03-${dice.chars(`${WORD}_`, 93)}AA`,
  google: (dice) => `AIza${dice.chars(`${WORD}_`, 35)}`,
  npm: (dice) => `npm_${dice.chars(WORD, 36)}`,
  password: (dice) => `Wq7${dice.chars(WORD, 17)}`,
}

/** The text in which a value of that shape stands. */
export const inText = {
  github: (value) => `export GITHUB_TOKEN=${value}`,
  aws: (value) => `aws_access_key_id = ${value}`,
  slack: (value) => `SLACK_BOT_TOKEN=${value}`,
  stripe: (value) => `STRIPE_SECRET_KEY="${value}"`,
  anthropic: (value) => `ANTHROPIC_API_KEY=${value}`,
  google: (value) => `maps_key: ${value}`,
  npm: (value) => `//registry.npmjs.org/:_authToken=${value}`,
  password: (value) => `postgres://app:${value}@db.internal:5432/app`,
}
