import { key, rule, type SecretRule } from '../rule.ts'

/** Payment, messages, shops and other services. */
// biome-ignore format: one rule a line reads as a table
export const serviceRules: readonly SecretRule[] = [
  key('stripe-key', '[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,247}', 'sk_live_ sk_test_ rk_live_ rk_test_', ['sk_live_{A-Za-z0-9:24}', 'rk_live_{A-Za-z0-9:99}', 'sk_test_{A-Za-z0-9:24}'], 'docs.stripe.com API keys', { raw: true }),
  key('stripe-webhook', 'whsec_[A-Za-z0-9+/=]{24,64}', 'whsec_', ['whsec_{A-Za-z0-9:32}'], 'docs.stripe.com webhooks', { raw: true }),
  key('square-token', 'sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,43}', 'sq0atp- sq0csp-', ['sq0atp-{A-Za-z0-9_-:22}', 'sq0csp-{A-Za-z0-9_-:43}'], 'developer.squareup.com access tokens'),
  key('shopify-token', 'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}', 'shpat_ shpca_ shppa_ shpss_', ['shpat_{0-9a-f:32}', 'shpss_{0-9a-f:32}'], 'shopify.dev access tokens', { raw: true }),
  key('shippo-token', 'shippo_(?:live|test)_[0-9a-f]{40}', 'shippo_', ['shippo_live_{0-9a-f:40}'], 'docs.goshippo.com'),
  key('easypost-key', 'EZ[AT]K[A-Za-z0-9]{54}', 'EZAK EZTK', ['EZAK{A-Za-z0-9:54}'], 'docs.easypost.com'),
  key('slack-token', '(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{20,255}', 'xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-', ['xoxb-{0-9:12}-{0-9:12}-{A-Za-z0-9:24}', 'xoxp-{0-9:12}-{0-9:12}-{0-9:12}-{0-9a-f:32}', 'xapp-1-A{A-Z0-9:10}-{0-9:13}-{0-9a-f:64}'], 'api.slack.com token types', { raw: true }),
  rule('slack-webhook', 'hooks\\.slack\\.com/((?:services|workflows|triggers)/[A-Za-z0-9+/]{30,80})', 'hooks.slack.com/', ['https://hooks.slack.com/services/T{A-Z0-9:10}/B{A-Z0-9:10}/{A-Za-z0-9:24}'], 'api.slack.com incoming webhooks', { raw: true }),
  rule('discord-webhook', 'discord(?:app)?\\.com/api/webhooks/(\\d{17,20}/[A-Za-z0-9_-]{60,70})', 'api/webhooks/', ['https://discord.com/api/webhooks/{0-9:18}/{A-Za-z0-9_-:68}'], 'discord.com developers webhooks'),
  key('discord-token', '[MNO][A-Za-z0-9_-]{23,25}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,38}', '', ['M{A-Za-z0-9:23}.{A-Za-z0-9:6}.{A-Za-z0-9_-:27}', 'N{A-Za-z0-9:25}.{A-Za-z0-9:6}.{A-Za-z0-9:38}'], 'discord.com developers reference'),
  key('telegram-token', '\\d{8,10}:AA[A-Za-z0-9_-]{33}', ':AA', ['{0-9:10}:AA{A-Za-z0-9_-:33}'], 'core.telegram.org bots API'),
  key('twilio-key', 'SK[0-9a-f]{32}', 'SK', ['SK{0-9a-f:32}'], 'twilio.com API keys'),
  key('sendgrid-key', 'SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}', 'SG.', ['SG.{A-Za-z0-9_-:22}.{A-Za-z0-9_-:43}'], 'docs.sendgrid.com API keys', { raw: true }),
  key('mailgun-key', 'key-[0-9a-f]{32}', 'key-', ['key-{0-9a-f:32}'], 'documentation.mailgun.com'),
  key('mailchimp-key', '[0-9a-f]{32}-us\\d{1,2}', '-us', ['{0-9a-f:32}-us14'], 'mailchimp.com developer API keys'),
  key('brevo-key', 'x(?:keysib|smtpsib)-[0-9a-f]{64}-[A-Za-z0-9]{16}', 'xkeysib- xsmtpsib-', ['xkeysib-{0-9a-f:64}-{A-Za-z0-9:16}'], 'developers.brevo.com'),
  key('resend-key', 're_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}', 're_', ['re_{A-Za-z0-9:8}_{A-Za-z0-9:24}'], 'resend.com API keys'),
  key('figma-token', 'figd_[A-Za-z0-9_-]{40,200}', 'figd_', ['figd_{A-Za-z0-9_-:40}'], 'figma.com access tokens', { raw: true }),
  key('notion-token', 'ntn_\\d{11}[A-Za-z0-9]{35}|secret_[A-Za-z0-9]{43}', 'ntn_ secret_', ['ntn_{0-9:11}{A-Za-z0-9:35}', 'secret_{A-Za-z0-9:43}'], 'developers.notion.com'),
  key('airtable-token', 'pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}', 'pat', ['pat{A-Za-z0-9:14}.{0-9a-f:64}'], 'airtable.com developers'),
  key('hubspot-token', 'pat-(?:na|eu)\\d-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'pat-na1- pat-eu1-', ['pat-na1-{uuid}'], 'developers.hubspot.com private apps'),
  key('contentful-token', 'CFPAT-[A-Za-z0-9_-]{43}', 'CFPAT-', ['CFPAT-{A-Za-z0-9_-:43}'], 'contentful.com developers'),
  key('typeform-token', 'tfp_[A-Za-z0-9_.-]{40,62}', 'tfp_', ['tfp_{A-Za-z0-9_-:59}'], 'typeform.com developers'),
  key('onepassword-token', 'ops_ey[A-Za-z0-9+/=_-]{100,1400}', 'ops_ey', ['ops_ey{A-Za-z0-9:300}'], 'developer.1password.com service accounts', { reach: 1500 }),
  key('onepassword-secret-key', 'A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}', 'A3-', ['A3-{A-Z0-9:6}-{A-Z0-9:6}-{A-Z0-9:5}-{A-Z0-9:5}-{A-Z0-9:5}-{A-Z0-9:5}'], 'support.1password.com secret key'),
  key('age-key', 'AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}', 'AGE-SECRET-KEY-1', ['AGE-SECRET-KEY-1{QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L:58}'], 'age-encryption.org/v1'),
]
