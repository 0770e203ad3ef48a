import { describe, expect, test } from 'vitest'
import { secretRules } from '../../../src/secrets/rules.ts'
import { createScanner } from '../../../src/secrets/scanner.ts'
import { createFakes } from './fake.ts'

/** Shapes written from the vendors' descriptions, apart from the rule table: neither may lean on the other. */
const claimed = {
  'AWS access key': 'AKIA{A-Z2-7:16}',
  'AWS temporary key': 'ASIA{A-Z2-7:16}',
  'Google API key': 'AIza{A-Za-z0-9_-:35}',
  'Google OAuth client secret': 'GOCSPX-{A-Za-z0-9_-:28}',
  'Google OAuth token': 'ya29.a0{A-Za-z0-9_-:160}',
  'Azure client secret': '{A-Za-z0-9:3}8Q~{A-Za-z0-9:34}',
  'Azure DevOps token': '{A-Za-z0-9:76}AZDO{A-Za-z0-9:4}',
  'DigitalOcean token': 'dop_v1_{0-9a-f:64}',
  'Heroku token': 'HRKU-AA{A-Za-z0-9_-:58}',
  'Netlify token': 'nfp_{A-Za-z0-9:36}',
  'Vercel token': 'vcp_{A-Za-z0-9:56}',
  'Cloudflare origin key': 'v1.0-{0-9a-f:24}-{0-9a-f:146}',
  'Tailscale key': 'tskey-auth-{A-Za-z0-9:17}-{A-Za-z0-9:33}',
  'Doppler token': 'dp.pt.{A-Za-z0-9:43}',
  'Terraform Cloud token': '{A-Za-z0-9:14}.atlasv1.{A-Za-z0-9:67}',
  'Vault service token': 'hvs.{A-Za-z0-9_-:95}',
  'Vault batch token': 'hvb.{A-Za-z0-9_-:150}',
  'Pulumi token': 'pul-{0-9a-f:40}',
  'Databricks token': 'dapi{0-9a-f:32}',
  'Supabase secret key': 'sb_secret_{A-Za-z0-9:22}_{A-Za-z0-9:8}',
  'Supabase access token': 'sbp_{0-9a-f:40}',
  'PlanetScale token': 'pscale_tkn_{A-Za-z0-9_:43}',
  'GitHub personal token': 'ghp_{A-Za-z0-9:36}',
  'GitHub OAuth token': 'gho_{A-Za-z0-9:36}',
  'GitHub server token': 'ghs_{A-Za-z0-9:36}',
  'GitHub refresh token': 'ghr_{A-Za-z0-9:76}',
  'GitHub fine-grained token': 'github_pat_{A-Za-z0-9:22}_{A-Za-z0-9:59}',
  'GitLab personal token': 'glpat-{A-Za-z0-9_-:20}',
  'GitLab deploy token': 'gldt-{A-Za-z0-9_-:20}',
  'Atlassian token': 'ATATT3xFfGF0{A-Za-z0-9_-:171}={A-F0-9:8}',
  'npm token': 'npm_{A-Za-z0-9:36}',
  'PyPI token': 'pypi-AgEIcHlwaS5vcmc{A-Za-z0-9_-:150}',
  'RubyGems key': 'rubygems_{0-9a-f:48}',
  'Docker token': 'dckr_pat_{A-Za-z0-9_-:27}',
  'Sentry token': 'sntrys_{A-Za-z0-9:150}',
  'Grafana service account': 'glsa_{A-Za-z0-9:32}_{0-9a-f:8}',
  'Grafana cloud token': 'glc_{A-Za-z0-9+/:100}=',
  'New Relic key': 'NRAK-{A-Z0-9:27}',
  'Dynatrace token': 'dt0c01.{A-Z2-7:24}.{A-Z2-7:64}',
  'Postman key': 'PMAK-{0-9a-f:24}-{0-9a-f:34}',
  'Linear key': 'lin_api_{A-Za-z0-9:40}',
  'Figma token': 'figd_{A-Za-z0-9_-:40}',
  'Notion token': 'ntn_{0-9:11}{A-Za-z0-9:35}',
  'Airtable token': 'pat{A-Za-z0-9:14}.{0-9a-f:64}',
  'HubSpot token': 'pat-na1-{uuid}',
  'Anthropic API key': 'sk-ant-api03-{A-Za-z0-9_-:93}AA',
  'Anthropic OAuth token': 'sk-ant-oat01-{A-Za-z0-9_-:93}AA',
  'OpenAI project key': 'sk-proj-{A-Za-z0-9_-:74}T3BlbkFJ{A-Za-z0-9_-:74}',
  'OpenAI old key': 'sk-{A-Za-z0-9:20}T3BlbkFJ{A-Za-z0-9:20}',
  'OpenRouter key': 'sk-or-v1-{0-9a-f:64}',
  'DeepSeek key': 'sk-{0-9a-f:32}',
  'Groq key': 'gsk_{A-Za-z0-9:52}',
  'xAI key': 'xai-{A-Za-z0-9:80}',
  'Perplexity key': 'pplx-{A-Za-z0-9:48}',
  'Hugging Face token': 'hf_{A-Za-z:34}',
  'Replicate token': 'r8_{A-Za-z0-9:37}',
  'NVIDIA key': 'nvapi-{A-Za-z0-9_-:64}',
  'LangSmith key': 'lsv2_pt_{0-9a-f:32}_{0-9a-f:10}',
  'Tavily key': 'tvly-{A-Za-z0-9:32}',
  'Stripe secret key': 'sk_live_{A-Za-z0-9:24}',
  'Stripe restricted key': 'rk_live_{A-Za-z0-9:99}',
  'Stripe webhook secret': 'whsec_{A-Za-z0-9:32}',
  'Square token': 'sq0atp-{A-Za-z0-9_-:22}',
  'Shopify token': 'shpat_{0-9a-f:32}',
  'Slack bot token': 'xoxb-{0-9:12}-{0-9:13}-{A-Za-z0-9:24}',
  'Slack app token': 'xapp-1-A{A-Z0-9:10}-{0-9:13}-{0-9a-f:64}',
  'Telegram token': '{0-9:10}:AA{A-Za-z0-9_-:33}',
  'Discord token': 'M{A-Za-z0-9:23}.{A-Za-z0-9:6}.{A-Za-z0-9_-:27}',
  'Twilio key': 'SK{0-9a-f:32}',
  'SendGrid key': 'SG.{A-Za-z0-9_-:22}.{A-Za-z0-9_-:43}',
  'Mailgun key': 'key-{0-9a-f:32}',
  'Mailchimp key': '{0-9a-f:32}-us21',
  'Brevo key': 'xkeysib-{0-9a-f:64}-{A-Za-z0-9:16}',
  'Resend key': 're_{A-Za-z0-9:8}_{A-Za-z0-9:24}',
  '1Password secret key': 'A3-{A-Z0-9:6}-{A-Z0-9:6}-{A-Z0-9:5}-{A-Z0-9:5}-{A-Z0-9:5}-{A-Z0-9:5}',
  'age key': 'AGE-SECRET-KEY-1{QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L:58}',
  'JSON web token': 'eyJ{A-Za-z0-9:33}.eyJ{A-Za-z0-9_-:90}.{A-Za-z0-9_-:43}',
} as const

const contexts: Record<string, (secret: string) => string> = {
  bare: (secret) => secret,
  'in a sentence': (secret) => `I used ${secret}, it worked.`,
  'KEY=': (secret) => `export SERVICE_KEY=${secret}\nnext line`,
  JSON: (secret) => JSON.stringify({ name: 'service', value: secret }),
  'JSON in JSON, after a line break': (secret) =>
    JSON.stringify(JSON.stringify({ out: `line\n${secret}\n` })),
  URL: (secret) => `https://api.example.org/v1/items?key=${secret}&page=2`,
  header: (secret) => `curl -H "X-Api-Token: ${secret}" https://api.example.org`,
  'in back quotes': (secret) => `set \`${secret}\` in the dashboard`,
}

test('at least 60 kinds are claimed', () => {
  expect(Object.keys(claimed).length).toBeGreaterThanOrEqual(60)
})

describe.each(Object.keys(contexts))('well-formed secrets, %s', (name) => {
  const place = contexts[name]
  test.each(Object.entries(claimed))('%s', async (kind, shape) => {
    const fakes = createFakes(kind.length * 7919 + name.length)
    for (let round = 0; round < 4; round++) {
      const secret = fakes.make(shape)
      const text = place?.(secret) ?? ''
      const { value, counts } = await createScanner().redact({ text })
      expect(value.text, `${kind}: ${text}`).toContain('[REDACTED:')
      expect(value.text).not.toContain(secret.slice(8, -4))
      expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(1)
    }
  })
})

describe('every shape of the rule table', () => {
  const fakes = createFakes(11)
  test.each(secretRules.flatMap(({ id, shapes }) => shapes.map((shape) => [id, shape] as const)))(
    '%s: %s',
    async (id, shape) => {
      for (let round = 0; round < 8; round++) {
        const text = `before ${fakes.make(shape)} after`
        const hits = await createScanner().find(text)
        expect(
          hits.map(({ rule }) => rule),
          text,
        ).toContain(id)
      }
    },
  )
  test('a rule with marks finds nothing that holds none of them', () => {
    for (const { pattern, shapes, needles } of secretRules) {
      for (const shape of shapes) {
        const secret = fakes.make(shape)
        const within = pattern.ignoreCase ? secret.toLowerCase() : secret
        expect(needles.length === 0 || needles.some((needle) => within.includes(needle)), secret).toBe(true)
      }
    }
  })
})
