import { key, rule, type SecretRule } from '../rule.ts'

/** Clouds, hosting and data bases. */
// biome-ignore format: one rule a line reads as a table
export const cloudRules: readonly SecretRule[] = [
  key('aws-access-key-id', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}', 'AKIA ASIA ABIA ACCA', ['AKIA{A-Z2-7:16}', 'ASIA{A-Z2-7:16}'], 'docs.aws.amazon.com IAM unique identifiers', { raw: true }),
  rule('aws-secret-access-key', `secret_?(?:access_?)?key\\\\?["']?\\s{0,3}(?:=>|:=|=|:)\\s{0,3}\\\\?["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])`, 'secretkey secret_key secretaccess secret_access', ['AWS_SECRET_ACCESS_KEY={A-Za-z0-9/+:40}', 'aws_secret_access_key = {A-Za-z0-9/+:40}'], 'awslabs/git-secrets', { flags: 'i' }),
  key('aws-bedrock-key', 'ABSK[A-Za-z0-9+/]{109,269}={0,2}', 'ABSK', ['ABSK{A-Za-z0-9+/:112}='], 'docs.aws.amazon.com Bedrock API keys'),
  key('google-api-key', 'AIza[A-Za-z0-9_-]{35}', 'AIza', ['AIza{A-Za-z0-9_-:35}'], 'cloud.google.com API keys', { raw: true }),
  key('google-oauth-secret', 'GOCSPX-[A-Za-z0-9_-]{28}', 'GOCSPX-', ['GOCSPX-{A-Za-z0-9_-:28}'], 'developers.google.com OAuth clients', { raw: true }),
  key('google-oauth-token', 'ya29\\.[A-Za-z0-9_-]{30,400}', 'ya29.', ['ya29.{A-Za-z0-9_-:120}'], 'developers.google.com OAuth tokens'),
  key('google-refresh-token', '1//0[A-Za-z0-9_-]{40,120}', '1//0', ['1//0{A-Za-z0-9_-:60}'], 'developers.google.com OAuth refresh tokens'),
  rule('azure-storage-key', 'AccountKey\\s?=\\s?([A-Za-z0-9+/]{86}==)', 'AccountKey=', ['AccountKey={A-Za-z0-9+/:86}=='], 'learn.microsoft.com storage connection strings', { raw: true }),
  rule('azure-client-secret', '(?<!(?<!\\\\)[A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])', '8Q~ 7Q~', ['{A-Za-z0-9:3}8Q~{A-Za-z0-9_~.-:34}', '{A-Za-z0-9:3}7Q~{A-Za-z0-9_~.-:31}'], 'learn.microsoft.com Entra client secrets'),
  rule('azure-sas', '[?&]sig=([A-Za-z0-9%/+]{43,60}(?:=|%3D))', '&sig=', ['sv=2024-01-01&sig={A-Za-z0-9:43}%3D'], 'learn.microsoft.com shared access signatures'),
  key('azure-devops-token', '[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}', 'AZDO', ['{A-Za-z0-9:76}AZDO{A-Za-z0-9:4}'], 'learn.microsoft.com Azure DevOps personal access tokens'),
  key('digitalocean-token', 'do[opr]_v1_[0-9a-f]{64}', 'dop_v1_ doo_v1_ dor_v1_', ['dop_v1_{0-9a-f:64}', 'doo_v1_{0-9a-f:64}'], 'docs.digitalocean.com token formats', { raw: true }),
  key('heroku-token', 'HRKU-[A-Za-z0-9_-]{36,60}', 'HRKU-', ['HRKU-AA{A-Za-z0-9_-:58}'], 'devcenter.heroku.com token prefix'),
  key('fly-token', '(?:fo1_[A-Za-z0-9_-]{43}|fm[12][ar]?_[A-Za-z0-9+/=_-]{100,800})', 'fo1_ fm1_ fm2_', ['fo1_{A-Za-z0-9_-:42}q', 'fm2_{A-Za-z0-9+/:200}'], 'fly.io access tokens'),
  key('netlify-token', 'nf[pcuo]_[A-Za-z0-9]{36}', 'nfp_', ['nfp_{A-Za-z0-9:36}'], 'docs.netlify.com personal access tokens'),
  key('vercel-token', 'vc[piark]_[A-Za-z0-9]{20,60}', 'vcp_ vck_', ['vcp_{A-Za-z0-9:56}', 'vck_{A-Za-z0-9:56}'], 'vercel.com token formats'),
  key('cloudflare-origin-key', 'v1\\.0-[0-9a-f]{24}-[0-9a-f]{146}', 'v1.0-', ['v1.0-{0-9a-f:24}-{0-9a-f:146}'], 'developers.cloudflare.com origin CA keys'),
  key('tailscale-key', 'tskey-[a-z]{2,10}-[A-Za-z0-9-]{20,80}', 'tskey-', ['tskey-auth-{A-Za-z0-9:16}-{A-Za-z0-9:32}'], 'tailscale.com key prefixes'),
  key('doppler-token', 'dp\\.(?:pt|st|sa|ct|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}', 'dp.pt. dp.st. dp.sa. dp.ct.', ['dp.pt.{A-Za-z0-9:43}', 'dp.st.prd.{A-Za-z0-9:43}'], 'docs.doppler.com token formats'),
  key('terraform-cloud-token', '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,70}', '.atlasv1.', ['{A-Za-z0-9:14}.atlasv1.{A-Za-z0-9:67}'], 'developer.hashicorp.com API tokens'),
  key('vault-token', 'hv[sbr]\\.[A-Za-z0-9_-]{24,300}', 'hvs. hvb. hvr.', ['hvs.{A-Za-z0-9_-:95}', 'hvb.{A-Za-z0-9_-:150}'], 'developer.hashicorp.com Vault tokens', { raw: true }),
  key('pulumi-token', 'pul-[0-9a-f]{40}', 'pul-', ['pul-{0-9a-f:40}'], 'pulumi.com access tokens'),
  key('databricks-token', 'dapi[0-9a-f]{32}(?:-\\d)?', 'dapi', ['dapi{0-9a-f:32}', 'dapi{0-9a-f:32}-2'], 'docs.databricks.com personal access tokens'),
  key('supabase-key', 'sb(?:p|s|_secret)_[A-Za-z0-9_-]{20,60}', 'sbp_ sb_secret_', ['sbp_{0-9a-f:40}', 'sb_secret_{A-Za-z0-9_-:31}'], 'supabase.com API keys', { raw: true }),
  key('planetscale-token', 'pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}', 'pscale_', ['pscale_tkn_{A-Za-z0-9_:43}'], 'planetscale.com service tokens'),
  key('neon-key', 'napi_[a-z0-9]{40,80}', 'napi_', ['napi_{a-z0-9:64}'], 'neon.tech API keys'),
  key('atlas-client-secret', 'mdb_sa_sk_[A-Za-z0-9_-]{40}', 'mdb_sa_sk_', ['mdb_sa_sk_{A-Za-z0-9_-:40}'], 'mongodb.com Atlas service accounts'),
  key('openshift-token', 'sha256~[A-Za-z0-9_-]{43}', 'sha256~', ['sha256~{A-Za-z0-9_-:43}'], 'docs.openshift.com OAuth tokens'),
]
