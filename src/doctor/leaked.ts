import { wrapText } from '../text/rows.ts'

/** One thing to do, in this order. */
interface LeakStep {
  title: string
  detail: string
  /** For a shell at the top of the repository. */
  run: string[]
}

/** A rule and where its format is described. */
interface RuleSource {
  id: string
  source: string
}

interface LeakGuide {
  steps: LeakStep[]
  /** Where to revoke it: of the named rule, else of all. */
  providers: readonly Provider[]
}

/**
 * What to do about a secret that is in a commit. `call`: what handoff is called here; `table`: the rules, which name the source of each
 * format. Null for a rule that nobody knows.
 */
export function leakGuide(call: string, rule: string | null, table: readonly RuleSource[]): LeakGuide | null {
  const named = rule === null ? providers : allProviders(table).filter(({ rules }) => rules.includes(rule))
  if (named.length === 0) return null
  return { steps: stepsFor(call), providers: named }
}

/** Those of the list, then each other rule with what its format is described in. */
export function allProviders(table: readonly RuleSource[]): Provider[] {
  const listed = new Set(providers.flatMap(({ rules }) => rules))
  const others = new Map(table.filter(({ id }) => !listed.has(id)).map(({ id, source }) => [id, source]))
  return [...providers, ...[...others].map(([id, where]) => ({ who: id, where, rules: [id] }))]
}

const stepsFor = (call: string): LeakStep[] => [
  {
    title: 'Revoke it, before anything else',
    detail:
      'Once it was pushed, assume that it was read: bots find keys within minutes. Make a new one and put it where it is used. Revoke the old one on the page of its provider below. Look there for use that was not yours.',
    run: [],
  },
  {
    title: 'Find every brief that holds it',
    detail:
      'The rules find what they know, in every commit. Put any other value into a file outside of the repository, and search for that. So it stays out of the history of your shell.',
    run: [
      `${call} check --range "$(git rev-list --max-parents=0 HEAD | tail -n 1)..HEAD"`,
      'git rev-list --all -- .handoff | xargs -n 50 sh -c \'git grep -lFf ../secret.txt "$@" -- .handoff\' sh',
    ],
  },
  {
    title: 'Not pushed yet: take it out of the commits that hold it',
    detail:
      'If only the last commit has the brief, undo that commit and hand over again. The value of a variable with such a name is replaced everywhere. The old commit stays on this machine until git removes it.',
    run: [
      'git reset --soft HEAD~1 && git restore --staged .handoff && git clean -f .handoff/briefs',
      `export LEAKED_TOKEN="$(cat ../secret.txt)"; ${call} create "<goal>" --redact`,
      'git reflog expire --expire=now --all && git gc --prune=now',
    ],
  },
  {
    title: 'Pushed: take it out of the tree, and rewrite history if you must',
    detail:
      '`prune` removes briefs from the tree; history keeps them, which is enough for a revoked secret. To remove the value from every commit, everybody must agree and clone again. Run git-filter-repo (https://github.com/newren/git-filter-repo) in a fresh clone, with one value a line in ../secret.txt. Then push by force. The ids of all later commits change.',
    run: [
      `${call} prune --keep 1`,
      'git filter-repo --replace-text ../secret.txt',
      'git push --force --all && git push --force --tags',
    ],
  },
  {
    title: 'Know what remains',
    detail:
      'Clones, forks and pull requests keep the old commits. The server keeps refs to them (refs/pull, refs/merge-requests) and cached pages, which only its support can remove. On this machine, check parked briefs, drafts in the private folder and the copy in .handoff/latest.md. Check the transcript of the agent, too: the value came from there.',
    run: [
      'git for-each-ref refs/handoff',
      'ls "$(git rev-parse --git-common-dir)/handoff/drafts"',
      `${call} sessions`,
    ],
  },
  {
    title: 'See that it does not come again',
    detail:
      'Name the variable of such a value, or its line in .env, so that the rules know it: TOKEN, KEY, SECRET, PASS. Hooks and CI scan every brief before it is pushed.',
    run: [`${call} init --ci github --yes`],
  },
]

/** The guide as a screen of `width` columns. */
export function renderLeaked({ steps, providers }: LeakGuide, width: number): string {
  const told = steps.flatMap(({ title, detail, run }, at) => [
    `${at + 1}. ${title}`,
    ...wrapText(detail, width, '   '),
    ...run.map((command) => `   $ ${command}`),
    '',
  ])
  const pages = providers.flatMap(({ who, where, rules }) => [
    who,
    ...wrapText(`${where} [${rules.join(', ')}]`, width, '  '),
  ])
  return ['A secret is in a commit. In this order:', '', ...told, 'Where to revoke it', ...pages].join('\n')
}

/** Where a value of some rules is made worthless. */
interface Provider {
  who: string
  /** A page, or how to get there in words; a console of one's own has no address that holds for everybody. */
  where: string
  /** Ids of rules, ours and those of the maintained preset. */
  rules: readonly string[]
}

/** Rules whose page for revoking is known, each once, so that a person who reads `[REDACTED:rule]` or a finding knows where to go. */
// biome-ignore format: one provider a line reads as a table
export const providers: readonly Provider[] = [
  { who: 'Amazon Web Services', where: 'https://console.aws.amazon.com/iam/ (the user, Security credentials)', rules: ['aws-access-key-id', 'aws-secret-access-key', 'aws-bedrock-key'] },
  { who: 'Google Cloud', where: 'https://console.cloud.google.com/apis/credentials', rules: ['google-api-key', 'google-oauth-secret'] },
  { who: 'Google account', where: 'https://myaccount.google.com/permissions', rules: ['google-oauth-token', 'google-refresh-token'] },
  { who: 'Google service account', where: 'https://console.cloud.google.com/iam-admin/serviceaccounts', rules: ['gcp'] },
  { who: 'Azure storage', where: 'https://portal.azure.com (the storage account, Access keys, Rotate key; ends its SAS as well)', rules: ['azure-storage-key', 'azure-sas'] },
  { who: 'Microsoft Entra', where: 'https://entra.microsoft.com (App registrations, Certificates & secrets)', rules: ['azure-client-secret'] },
  { who: 'Azure DevOps', where: 'https://dev.azure.com (User settings, Personal access tokens)', rules: ['azure-devops-token'] },
  { who: 'DigitalOcean', where: 'https://cloud.digitalocean.com/account/api/tokens', rules: ['digitalocean-token'] },
  { who: 'Heroku', where: 'https://dashboard.heroku.com/account/applications', rules: ['heroku-token'] },
  { who: 'Fly.io', where: '`fly tokens list`, then `fly tokens revoke <id>`', rules: ['fly-token'] },
  { who: 'Netlify', where: 'https://app.netlify.com/user/applications', rules: ['netlify-token'] },
  { who: 'Vercel', where: 'https://vercel.com/account/tokens', rules: ['vercel-token', 'vercel'] },
  { who: 'Cloudflare', where: 'https://dash.cloudflare.com/profile/api-tokens', rules: ['cloudflare-origin-key'] },
  { who: 'Tailscale', where: 'https://login.tailscale.com/admin/settings/keys', rules: ['tailscale-key'] },
  { who: 'Doppler', where: 'https://dashboard.doppler.com (Tokens; for a service token, Access of its config)', rules: ['doppler-token'] },
  { who: 'HCP Terraform', where: 'https://app.terraform.io/app/settings/tokens', rules: ['terraform-cloud-token'] },
  { who: 'HashiCorp Vault', where: '`vault token revoke -accessor <accessor>`', rules: ['vault-token', 'hashicorp-vault'] },
  { who: 'Pulumi', where: 'https://app.pulumi.com (account settings, Access tokens)', rules: ['pulumi-token'] },
  { who: 'Databricks', where: 'your workspace (Settings, Developer, Access tokens)', rules: ['databricks-token', 'databricks'] },
  { who: 'Supabase', where: 'https://supabase.com/dashboard/account/tokens; keys of a project: its settings, API keys', rules: ['supabase-key'] },
  { who: 'PlanetScale', where: 'https://app.planetscale.com (settings of the organisation or branch)', rules: ['planetscale-token'] },
  { who: 'Neon', where: 'https://console.neon.tech/app/settings/api-keys', rules: ['neon-key'] },
  { who: 'MongoDB Atlas', where: 'https://cloud.mongodb.com (Access manager, Service accounts)', rules: ['atlas-client-secret'] },
  { who: 'OpenShift', where: '`oc logout` where that token is in use', rules: ['openshift-token'] },
  { who: 'GitHub', where: 'https://github.com/settings/tokens; of an app: https://github.com/settings/applications', rules: ['github-token', 'github-oauth-url', 'github'] },
  { who: 'GitLab', where: 'https://gitlab.com/-/user_settings/personal_access_tokens (project, group and runner tokens: their settings)', rules: ['gitlab-token', 'gitlab'] },
  { who: 'Atlassian', where: 'https://id.atlassian.com/manage-profile/security/api-tokens', rules: ['atlassian-token'] },
  { who: 'npm', where: '`npm token list`, then `npm token revoke <id>`', rules: ['npm-token', 'npm-auth', 'npm'] },
  { who: 'PyPI', where: 'https://pypi.org/manage/account/ (API tokens)', rules: ['pypi-token'] },
  { who: 'RubyGems', where: 'https://rubygems.org/profile/api_keys', rules: ['rubygems-key'] },
  { who: 'crates.io', where: 'https://crates.io/settings/tokens', rules: ['crates-token'] },
  { who: 'NuGet', where: 'https://www.nuget.org/account/apikeys', rules: ['nuget-key'] },
  { who: 'Clojars', where: 'https://clojars.org/tokens', rules: ['clojars-token'] },
  { who: 'Docker', where: 'https://app.docker.com/settings/personal-access-tokens', rules: ['docker-token', 'docker'] },
  { who: 'Buildkite', where: 'https://buildkite.com/user/api-access-tokens', rules: ['buildkite-token'] },
  { who: 'CircleCI', where: 'https://app.circleci.com/settings/user/tokens', rules: ['circleci-token'] },
  { who: 'SonarQube', where: 'https://sonarcloud.io/account/security, or My account, Security of your server', rules: ['sonar-token'] },
  { who: 'Sentry', where: 'https://sentry.io/settings/account/api/auth-tokens/', rules: ['sentry-token'] },
  { who: 'Grafana', where: 'your Grafana (Administration, Service accounts)', rules: ['grafana-token', 'grafana'] },
  { who: 'New Relic', where: 'https://one.newrelic.com (user menu, API keys)', rules: ['newrelic-key'] },
  { who: 'Dynatrace', where: 'your environment (Access tokens)', rules: ['dynatrace-token'] },
  { who: 'Postman', where: 'https://go.postman.co/settings/me/api-keys', rules: ['postman-key'] },
  { who: 'Linear', where: 'https://linear.app/settings (Security & access, API)', rules: ['linear-key', 'linear'] },
  { who: 'LaunchDarkly', where: 'https://app.launchdarkly.com/settings/authorization', rules: ['launchdarkly-key'] },
  { who: 'PostHog', where: 'your project (Settings, Personal API keys)', rules: ['posthog-key'] },
  { who: 'Anthropic', where: 'https://console.anthropic.com/settings/keys', rules: ['anthropic-key', 'anthropic'] },
  { who: 'OpenAI', where: 'https://platform.openai.com/api-keys', rules: ['openai-key', 'openai'] },
  { who: 'OpenRouter', where: 'https://openrouter.ai/settings/keys', rules: ['openrouter-key'] },
  { who: 'Langfuse', where: 'https://cloud.langfuse.com (settings of the project, API keys)', rules: ['langfuse-key'] },
  { who: 'DeepSeek, Moonshot and the like', where: 'https://platform.deepseek.com/api_keys, or whoever gave it to you', rules: ['sk-key'] },
  { who: 'Groq', where: 'https://console.groq.com/keys', rules: ['groq-key', 'groq'] },
  { who: 'xAI', where: 'https://console.x.ai (API keys)', rules: ['xai-key'] },
  { who: 'Perplexity', where: 'https://www.perplexity.ai (settings, API)', rules: ['perplexity-key'] },
  { who: 'Hugging Face', where: 'https://huggingface.co/settings/tokens', rules: ['huggingface-token', 'huggingface'] },
  { who: 'Replicate', where: 'https://replicate.com/account/api-tokens', rules: ['replicate-token'] },
  { who: 'Cerebras', where: 'https://cloud.cerebras.ai (API keys)', rules: ['cerebras-key'] },
  { who: 'NVIDIA', where: 'https://build.nvidia.com (settings, API keys)', rules: ['nvidia-key'] },
  { who: 'Together', where: 'https://api.together.ai/settings/api-keys', rules: ['together-key'] },
  { who: 'LangSmith', where: 'https://smith.langchain.com/settings', rules: ['langsmith-key'] },
  { who: 'Tavily', where: 'https://app.tavily.com', rules: ['tavily-key'] },
  { who: 'Jina', where: 'https://jina.ai (API key management)', rules: ['jina-key'] },
  { who: 'Pinecone', where: 'https://app.pinecone.io (API keys)', rules: ['pinecone-key'] },
  { who: 'ElevenLabs', where: 'https://elevenlabs.io/app/settings/api-keys', rules: ['elevenlabs-key'] },
  { who: 'Stripe', where: 'https://dashboard.stripe.com/apikeys; a webhook: https://dashboard.stripe.com/webhooks (Roll secret)', rules: ['stripe-key', 'stripe-webhook'] },
  { who: 'Square', where: 'https://developer.squareup.com/apps', rules: ['square-token'] },
  { who: 'Shopify', where: 'the admin of the shop (Settings, Apps)', rules: ['shopify-token', 'shopify'] },
  { who: 'Shippo', where: 'https://apps.goshippo.com/settings/api', rules: ['shippo-token'] },
  { who: 'EasyPost', where: 'https://www.easypost.com/account/api-keys', rules: ['easypost-key'] },
  { who: 'Slack', where: 'https://api.slack.com/apps (OAuth & permissions; Incoming webhooks)', rules: ['slack-token', 'slack-webhook', 'slack'] },
  { who: 'Discord', where: 'https://discord.com/developers/applications; a webhook: settings of the server, Integrations', rules: ['discord-token', 'discord-webhook'] },
  { who: 'Telegram', where: 'write /revoke to @BotFather', rules: ['telegram-token'] },
  { who: 'Twilio', where: 'https://console.twilio.com (API keys & tokens)', rules: ['twilio-key'] },
  { who: 'SendGrid', where: 'https://app.sendgrid.com/settings/api_keys', rules: ['sendgrid-key', 'sendgrid'] },
  { who: 'Mailgun', where: 'https://app.mailgun.com (API keys)', rules: ['mailgun-key'] },
  { who: 'Mailchimp', where: 'https://admin.mailchimp.com/account/api/', rules: ['mailchimp-key'] },
  { who: 'Brevo', where: 'https://app.brevo.com/settings/keys/api', rules: ['brevo-key'] },
  { who: 'Resend', where: 'https://resend.com/api-keys', rules: ['resend-key'] },
  { who: 'Figma', where: 'https://www.figma.com/settings (Security)', rules: ['figma-token', 'figma'] },
  { who: 'Notion', where: 'https://www.notion.so/my-integrations', rules: ['notion-token', 'notion'] },
  { who: 'Airtable', where: 'https://airtable.com/create/tokens', rules: ['airtable-token'] },
  { who: 'HubSpot', where: 'your account (Settings, Integrations, Private apps)', rules: ['hubspot-token'] },
  { who: 'Contentful', where: 'https://app.contentful.com/account/profile/cma_tokens', rules: ['contentful-token'] },
  { who: 'Typeform', where: 'https://admin.typeform.com (Personal tokens)', rules: ['typeform-token'] },
  { who: '1Password', where: 'https://my.1password.com (Developer, Service accounts; your profile, Regenerate Secret Key)', rules: ['onepassword-token', 'onepassword-secret-key', '1password'] },
  { who: 'a private key', where: 'make a new pair; take the old public half out wherever it is let in (authorized_keys, deploy keys), revoke its certificate', rules: ['private-key', 'privatekey', 'age-key'] },
  { who: 'a signed token (JWT)', where: 'end the session where it was issued, or change the key that signs', rules: ['jwt'] },
  { who: 'a login in an address', where: 'change the password of that account on that server', rules: ['url-credentials', 'basicauth', 'database-connection-string', 'curl-user'] },
  { who: 'anything else', where: 'whoever issued it; a random value of your own: change it wherever it is used', rules: ['auth-header', 'generic-secret', 'environment'] },
]
