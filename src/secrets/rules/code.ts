import { key, rule, type SecretRule } from '../rule.ts'

/** Code hosts, package registries, builds, monitoring and issue trackers. */
// biome-ignore format: one rule a line reads as a table
export const codeRules: readonly SecretRule[] = [
  key('github-token', 'gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}', 'ghp_ gho_ ghu_ ghs_ ghr_ github_pat_', ['ghp_{A-Za-z0-9:36}', 'gho_{A-Za-z0-9:36}', 'ghu_{A-Za-z0-9:36}', 'ghs_{A-Za-z0-9:36}', 'ghr_{A-Za-z0-9:76}', 'github_pat_{A-Za-z0-9:22}_{A-Za-z0-9:59}'], 'docs.github.com token prefixes', { raw: true }),
  rule('github-oauth-url', `https?://([^\\s/:@"']{16,256}):x-oauth-basic@`, 'x-oauth-basic@', ['https://{0-9a-f:40}:x-oauth-basic@github.com/acme/app'], 'github.blog builds using OAuth'),
  key('gitlab-token', 'gl(?:pat|ptt|dt|rt|ft|soat|cbt|agent|oas|imt|ffct)-[A-Za-z0-9_.=-]{20,300}', 'glpat- glptt- gldt- glrt- glft- glsoat- glcbt- glagent- gloas-', ['glpat-{A-Za-z0-9_-:20}', 'gldt-{A-Za-z0-9_-:20}', 'glrt-{A-Za-z0-9_-:20}'], 'docs.gitlab.com token prefixes', { raw: true }),
  key('atlassian-token', 'AT(?:ATT3|CTT3)[A-Za-z0-9_=-]{60,240}|ATBB[A-Za-z0-9_=-]{24,60}', 'ATATT3 ATCTT3 ATBB', ['ATATT3{A-Za-z0-9_-:184}', 'ATBB{A-Za-z0-9:32}'], 'support.atlassian.com API tokens'),
  key('npm-token', 'npm_[A-Za-z0-9]{36}', 'npm_', ['npm_{A-Za-z0-9:36}'], 'github.blog npm access token format', { raw: true }),
  rule('npm-auth', `:_(?:authToken|auth|password)\\s?=\\s?["']?([A-Za-z0-9+/=._-]{16,400})`, '_authToken= _auth= _password=', ['//registry.example.org/:_authToken={A-Za-z0-9:40}'], 'docs.npmjs.com npmrc', { raw: true }),
  key('pypi-token', 'pypi-AgE[A-Za-z0-9_-]{50,1000}', 'pypi-AgE', ['pypi-AgEIcHlwaS5vcmc{A-Za-z0-9_-:120}'], 'pypi.org API tokens', { raw: true, reach: 1100 }),
  key('rubygems-key', 'rubygems_[0-9a-f]{48}', 'rubygems_', ['rubygems_{0-9a-f:48}'], 'guides.rubygems.org API keys'),
  key('crates-token', 'cio[A-Za-z0-9]{32}', 'cio', ['cio{A-Za-z0-9:32}'], 'crates.io token format'),
  key('nuget-key', 'oy2[a-z0-9]{43}', 'oy2', ['oy2{a-z0-9:43}'], 'learn.microsoft.com NuGet API keys'),
  key('clojars-token', 'CLOJARS_[a-z0-9]{60}', 'CLOJARS_', ['CLOJARS_{a-z0-9:60}'], 'github.com/clojars deploy tokens'),
  key('docker-token', 'dckr_[po]at_[A-Za-z0-9_-]{27,40}', 'dckr_pat_ dckr_oat_', ['dckr_pat_{A-Za-z0-9_-:27}', 'dckr_oat_{A-Za-z0-9_-:32}'], 'docs.docker.com access tokens', { raw: true }),
  key('buildkite-token', 'bkua_[a-z0-9]{40}', 'bkua_', ['bkua_{a-z0-9:40}'], 'buildkite.com API tokens'),
  key('circleci-token', 'CCI(?:PAT|PRJ)_[A-Za-z0-9]{20,24}_[0-9a-f]{40}', 'CCIPAT_ CCIPRJ_', ['CCIPAT_{A-Za-z0-9:22}_{0-9a-f:40}'], 'circleci.com API tokens'),
  key('sonar-token', 'sq[upa]_[0-9a-f]{40}', 'squ_ sqp_ sqa_', ['squ_{0-9a-f:40}'], 'docs.sonarsource.com tokens'),
  key('sentry-token', 'sntry[su]_[A-Za-z0-9+/=_-]{40,400}', 'sntrys_ sntryu_', ['sntrys_{A-Za-z0-9:120}', 'sntryu_{0-9a-f:64}'], 'docs.sentry.io auth tokens'),
  key('grafana-token', 'glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2}', 'glsa_ glc_', ['glsa_{A-Za-z0-9:32}_{0-9a-f:8}', 'glc_{A-Za-z0-9:60}='], 'grafana.com service accounts'),
  key('newrelic-key', 'NR(?:AK|JS|II|RA)-[A-Za-z0-9]{19,42}', 'NRAK- NRJS- NRII- NRRA-', ['NRAK-{A-Z0-9:27}'], 'docs.newrelic.com API keys'),
  key('dynatrace-token', 'dt0[a-z]\\d{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}', 'dt0c01. dt0s01.', ['dt0c01.{A-Z2-7:24}.{A-Z2-7:64}'], 'docs.dynatrace.com token format'),
  key('postman-key', 'PMAK-[0-9a-f]{24}-[0-9a-f]{34}', 'PMAK-', ['PMAK-{0-9a-f:24}-{0-9a-f:34}'], 'learning.postman.com API keys'),
  key('linear-key', 'lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,64}', 'lin_api_ lin_oauth_', ['lin_api_{A-Za-z0-9:40}', 'lin_oauth_{0-9a-f:64}'], 'developers.linear.app', { raw: true }),
  key('launchdarkly-key', '(?:sdk|api)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'sdk- api-', ['sdk-{uuid}', 'api-{uuid}'], 'docs.launchdarkly.com keys'),
  key('posthog-key', 'phx_[A-Za-z0-9]{40,60}', 'phx_', ['phx_{A-Za-z0-9:43}'], 'posthog.com personal API keys'),
]
