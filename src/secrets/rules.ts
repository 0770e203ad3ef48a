import { isNameLike } from './classify.ts'

/**
 * A secret with a recognisable shape.
 *
 * `shapes` are examples in a small notation, `{class:length}` for random characters and `{uuid}`, so that nothing that
 * looks like a secret stands in the source; tests make values from them.
 */
export interface SecretRule extends Options {
  id: string
  /** At most one capture group: the secret itself. Without a group the whole match is the secret. Made when it is first asked for. */
  readonly pattern: RegExp
  shapes: readonly string[]
  /**
   * ASCII marks of which every match holds one, so that a text without them need not be searched; in lower case when the
   * pattern knows no case. Empty: none known.
   */
  needles: readonly string[]
  /**
   * Where the format is described, last read on 2026-11-24. `npm run bench:secrets -- --gitleaks <file>` names what a newer table of
   * others finds and this one misses.
   */
  source: string
}

interface Options {
  /** The pattern knows no case. */
  flags?: 'i'
  /** The mark is short and stands in names, too: what reads as a name is none. */
  loose?: true
  /** A person chose the value: it may be a stand-in, a name or a path. */
  chosen?: true
  /** Looked for in the written text as well, where an escape may hide the mark: the mark alone tells the key. */
  isSure?: true
  /** The match only says where to look: behind it stands the body of a key, or around it a map of secret values. */
  holds?: 'body' | 'entries'
}

/** The parts of a rule; `needles` are separated by spaces. */
type Row = [id: string, pattern: string, needles: string, shapes: string[], source: string, more?: Options]

function rule(...[id, pattern, needles, shapes, source, options = {}]: Row): SecretRule {
  let made: RegExp | undefined
  return {
    ...{ id, shapes, source, ...options },
    needles: needles === '' ? [] : needles.split(' '),
    get pattern() {
      made ??= new RegExp(pattern, `g${options.flags ?? ''}`)
      return made
    },
  }
}

/** A letter or digit before the mark means another word. */
const START = '(?<![A-Za-z0-9])'

/** A key whose mark nobody writes for anything else: whatever stands before it. */
const mark = (...[id, pattern, needles, shapes, source, options]: Row): SecretRule =>
  rule(id, `(?:${pattern})(?![A-Za-z0-9])`, needles, shapes, source, { ...options, isSure: true })

/** A key whose mark is part of words as well: nothing of the same kind before or behind it. */
const key = (...[id, pattern, needles, shapes, source, options]: Row): SecretRule =>
  rule(id, `${START}(?:${pattern})(?![A-Za-z0-9])`, needles, shapes, source, options)

/** A value as a command line or a setting gives it. */
const VALUE = `["']?([^\\s"'\`$|;&]{6,200})`
/** V8 looks at characters at once that stand one by one: in a text without a mark that takes a twentieth of the time. */
const HEX_32 = `${'[0-9a-f]'.repeat(8)}[0-9a-f]{24}`
const LOGIN =
  '\\b(?:docker|podman|buildah|nerdctl|oras|skopeo|helm\\s+registry|az|ibmcloud|cf|oc|argocd)\\s+login\\b'
/** What takes a secret on its standard input. */
const SINK =
  '(?:\\bsudo\\s+(?:-\\w+\\s+)*-\\w*S|\\bkinit\\b|--(?:password|token)-stdin|--with-token|\\b(?:secrets?|env)\\s+(?:put|set|create|add|versions\\s+add)\\b)'

/** All rules of ours, in order of precedence: where two find the same text, the first names it. */
// biome-ignore format: one rule a line reads as a table
export const secretRules: readonly SecretRule[] = [
  // Clouds, hosting and data bases.
  mark('aws-access-key-id', `(?:AKIA|ASIA|ABIA|ACCA|${START}A3T[A-Z0-9])[A-Z0-9]{16}`, 'AKIA ASIA ABIA ACCA A3T', ['AKIA{A-Z2-7:16}', 'ASIA{A-Z2-7:16}'], 'docs.aws.amazon.com IAM unique identifiers'),
  key('aws-bedrock-key', 'ABSK[A-Za-z0-9+/]{109,269}={0,2}', 'ABSK', ['ABSK{A-Za-z0-9+/:112}='], 'docs.aws.amazon.com Bedrock API keys'),
  mark('google-key', 'AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{28}|ya29\\.[A-Za-z0-9_-]{30,400}|AQ\\.Ab8RN6[A-Za-z0-9_-]{40,60}', 'AIza GOCSPX- ya29. AQ.Ab8RN6', ['AIza{A-Za-z0-9_-:35}', 'GOCSPX-{A-Za-z0-9_-:28}', 'ya29.{A-Za-z0-9_-:120}', 'AQ.Ab8RN6{A-Za-z0-9_-:44}'], 'cloud.google.com API keys, developers.google.com OAuth, ai.google.dev auth keys'),
  key('google-key', '1//0[A-Za-z0-9_-]{40,120}|AAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{140}|GOOG1?[A-Z0-9]{20,58}', '1//0 AAAA GOOG', ['1//0{A-Za-z0-9_-:60}', 'AAAA{A-Za-z0-9_-:7}:{A-Za-z0-9_-:140}', 'GOOG{A-Z0-9:20}', 'GOOG1E{A-Z0-9:55}'], 'developers.google.com OAuth refresh tokens, firebase.google.com Cloud Messaging, cloud.google.com storage HMAC keys'),
  rule('azure-client-secret', '(?<!(?<!\\\\)[A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])', 'Q~', ['{A-Za-z0-9:3}8Q~{A-Za-z0-9_~.-:34}', '{A-Za-z0-9:3}7Q~{A-Za-z0-9_~.-:31}'], 'learn.microsoft.com Entra client secrets'),
  mark('digitalocean-token', 'do[opr]_v1_[0-9a-f]{64}', 'dop_v1_ doo_v1_ dor_v1_', ['dop_v1_{0-9a-f:64}', 'doo_v1_{0-9a-f:64}'], 'docs.digitalocean.com token formats'),
  mark('heroku-token', 'HRKU-[A-Za-z0-9_-]{36,60}', 'HRKU-', ['HRKU-AA{A-Za-z0-9_-:58}'], 'devcenter.heroku.com token prefix'),
  mark('fly-token', '(?:fo1_[A-Za-z0-9_-]{43}|fm[12][ar]?_[A-Za-z0-9+/=_-]{100,1200})', 'fo1_ fm1_ fm2_ fm1a_ fm1r_ fm2a_ fm2r_', ['fo1_{A-Za-z0-9_-:42}q', 'fm2_{A-Za-z0-9+/:200}'], 'fly.io access tokens'),
  mark('netlify-token', 'nf[pcuo]_[A-Za-z0-9]{36}', 'nfp_ nfc_ nfu_ nfo_', ['nfp_{A-Za-z0-9:36}'], 'docs.netlify.com personal access tokens'),
  mark('vercel-token', 'vc[piark]_[A-Za-z0-9]{20,60}', 'vcp_ vci_ vca_ vcr_ vck_', ['vcp_{A-Za-z0-9:56}', 'vck_{A-Za-z0-9:56}'], 'vercel.com token formats'),
  key('cloudflare-origin-key', 'v1\\.0-[0-9a-f]{24}-[0-9a-f]{146}', 'v1.0-', ['v1.0-{0-9a-f:24}-{0-9a-f:146}'], 'developers.cloudflare.com origin CA keys'),
  mark('tailscale-key', 'tskey-[a-z]{2,10}-[A-Za-z0-9-]{20,80}', 'tskey-', ['tskey-auth-{A-Za-z0-9:16}-{A-Za-z0-9:32}'], 'tailscale.com key prefixes'),
  mark('doppler-token', 'dp\\.(?:pt|st|sa|ct|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}', 'dp.pt. dp.st. dp.sa. dp.ct.', ['dp.pt.{A-Za-z0-9:43}', 'dp.st.prd.{A-Za-z0-9:43}'], 'docs.doppler.com token formats'),
  key('terraform-cloud-token', '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,70}', '.atlasv1.', ['{A-Za-z0-9:14}.atlasv1.{A-Za-z0-9:67}'], 'developer.hashicorp.com API tokens'),
  mark('vault-token', 'hv[sbr]\\.[A-Za-z0-9_-]{24,300}', 'hvs. hvb. hvr.', ['hvs.{A-Za-z0-9_-:95}', 'hvb.{A-Za-z0-9_-:150}'], 'developer.hashicorp.com Vault tokens'),
  mark('pulumi-token', 'pul-[0-9a-f]{40}', 'pul-', ['pul-{0-9a-f:40}'], 'pulumi.com access tokens'),
  mark('databricks-token', 'dapi[0-9a-fA-F]{32}(?:-\\d)?', 'dapi', ['dapi{0-9a-f:32}', 'dapi{0-9a-f:32}-2'], 'docs.databricks.com personal access tokens'),
  mark('supabase-key', 'sb(?:p|_secret)_[A-Za-z0-9_-]{20,60}', 'sbp_ sb_secret_', ['sbp_{0-9a-f:40}', 'sb_secret_{A-Za-z0-9_-:31}'], 'supabase.com API keys'),
  mark('planetscale-token', 'pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}', 'pscale_', ['pscale_tkn_{A-Za-z0-9_:43}'], 'planetscale.com service tokens'),
  mark('neon-key', 'napi_[a-z0-9]{40,80}', 'napi_', ['napi_{a-z0-9:64}'], 'neon.tech API keys'),
  mark('openshift-token', 'sha256~[A-Za-z0-9_-]{43}', 'sha256~', ['sha256~{A-Za-z0-9_-:43}'], 'docs.openshift.com OAuth tokens'),
  mark('amazon-token', '(?:FwoGZXIvYXdzE|IQoJb3JpZ2luX2Vj|FQoGZXIvYXdzE)[A-Za-z0-9+/=%]{80,4000}|bedrock-api-key-[A-Za-z0-9+/=_-]{20,4000}|da2-[a-z0-9]{26}|amzn\\.mws\\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|amzn1\\.oa2-cs\\.v1\\.[0-9a-f]{64}', 'FwoGZXIvYXdzE IQoJb3JpZ2luX2Vj FQoGZXIvYXdzE bedrock-api-key- da2- amzn.mws. amzn1.oa2-cs.', ['IQoJb3JpZ2luX2Vj{A-Za-z0-9+/:400}=', 'FwoGZXIvYXdzE{A-Za-z0-9+/:300}=', 'bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t{A-Za-z0-9:80}', 'da2-{a-z0-9:26}', 'amzn.mws.{uuid}', 'amzn1.oa2-cs.v1.{0-9a-f:64}'], 'docs.aws.amazon.com STS, Bedrock and AppSync, developer.amazonservices.com, developer.amazon.com'),
  key('alibaba-key', 'LTAI[A-Za-z0-9]{12,30}', 'LTAI', ['LTAI{A-Za-z0-9:20}', 'LTAI5t{A-Za-z0-9:18}'], 'alibabacloud.com RAM access keys'),
  key('azure-key', '[A-Za-z0-9_-]{44}AzFu[A-Za-z0-9_-]{5}[AQgw]==|[A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5}|[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}|[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}', 'AzFu AzSe JQQJ99 AZDO', ['{A-Za-z0-9_-:44}AzFu{A-Za-z0-9:5}Q==', '{A-Za-z0-9:42}AzSeA{A-Za-z0-9:5}', '{A-Za-z0-9:52}JQQJ99{A-Za-z0-9:26}', '{A-Za-z0-9:76}AZDO{A-Za-z0-9:4}'], 'learn.microsoft.com keys of Azure services'),
  mark('render-key', 'rnd_[A-Za-z0-9]{28,40}', 'rnd_', ['rnd_{A-Za-z0-9:28}'], 'api-docs.render.com API keys'),
  mark('scalingo-token', 'tk-us-[A-Za-z0-9_-]{48}', 'tk-us-', ['tk-us-{A-Za-z0-9_-:48}'], 'developers.scalingo.com tokens'),
  key('clickhouse-key', '4b1d[A-Za-z0-9]{38}', '4b1d', ['4b1d{A-Za-z0-9:38}'], 'clickhouse.com cloud API keys', { loose: true }),
  key('vault-legacy-token', '(?:s|b)\\.[A-Za-z0-9]{24}', 's. b.', ['s.{A-Za-z0-9:24}'], 'developer.hashicorp.com Vault tokens before 1.10', { loose: true }),
  mark('cloudflare-token', 'cf(?:ut|at|k|ap|r2)_[A-Za-z0-9_-]{36,80}', 'cfut_ cfat_ cfk_ cfap_ cfr2_', ['cfut_{A-Za-z0-9:48}', 'cfat_{A-Za-z0-9:48}', 'cfk_{A-Za-z0-9:48}'], 'developers.cloudflare.com token formats'),
  // Code hosts, package registries, builds, monitoring and issue trackers.
  mark('github-token', 'gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{70,255}|gh[pousr]_[A-Za-z0-9_.-]{37,800}', 'ghp_ gho_ ghu_ ghs_ ghr_ github_pat_', ['ghp_{A-Za-z0-9:36}', 'gho_{A-Za-z0-9:36}', 'ghu_{A-Za-z0-9:36}', 'ghs_{A-Za-z0-9:36}', 'ghr_{A-Za-z0-9:76}', 'github_pat_{A-Za-z0-9:22}_{A-Za-z0-9:59}', 'ghs_{A-Za-z0-9:12}_{A-Za-z0-9:60}.{A-Za-z0-9:60}'], 'docs.github.com token prefixes and github.blog stateless installation tokens'),
  rule('github-oauth-url', `https?://([^\\s/:@"']{16,256}):x-oauth-basic@`, 'x-oauth-basic@', ['https://{0-9a-f:40}:x-oauth-basic@github.com/acme/app'], 'github.blog builds using OAuth'),
  mark('gitlab-token', 'gl(?:pat|ptt|dt|rt|rtr|ft|soat|cbt|agent|oas|imt|ffct|wt)-[A-Za-z0-9_.=-]{20,300}|GR1348941[A-Za-z0-9_-]{20}', 'glpat- glptt- gldt- glrt- glft- glsoat- glcbt- glagent- gloas- glrtr- glimt- glffct- glwt- GR1348941', ['glimt-{A-Za-z0-9_-:25}', 'glffct-{A-Za-z0-9_-:20}', 'glcbt-1_{A-Za-z0-9_-:20}', 'glpat-{A-Za-z0-9_-:20}', 'gldt-{A-Za-z0-9_-:20}', 'glrt-{A-Za-z0-9_-:20}', 'GR1348941{A-Za-z0-9_-:20}'], 'docs.gitlab.com token prefixes'),
  mark('atlassian-token', 'AT(?:ATT3|CTT3)[A-Za-z0-9_=-]{60,240}|ATBB[A-Za-z0-9_=-]{24,60}', 'ATATT3 ATCTT3 ATBB', ['ATATT3{A-Za-z0-9_-:184}', 'ATBB{A-Za-z0-9:32}'], 'support.atlassian.com API tokens'),
  mark('npm-token', 'npm_[A-Za-z0-9]{36}', 'npm_', ['npm_{A-Za-z0-9:36}'], 'github.blog npm access token format'),
  mark('pypi-token', 'pypi-AgE[A-Za-z0-9_-]{50,1000}', 'pypi-AgE', ['pypi-AgEIcHlwaS5vcmc{A-Za-z0-9_-:120}'], 'pypi.org API tokens'),
  mark('rubygems-key', 'rubygems_[0-9a-f]{48}', 'rubygems_', ['rubygems_{0-9a-f:48}'], 'guides.rubygems.org API keys'),
  key('crates-token', 'cio[A-Za-z0-9]{32}', 'cio', ['cio{A-Za-z0-9:32}'], 'crates.io token format', { loose: true }),
  key('nuget-key', 'oy2[a-z0-9]{43}', 'oy2', ['oy2{a-z0-9:43}'], 'learn.microsoft.com NuGet API keys', { loose: true }),
  mark('clojars-token', 'CLOJARS_[A-Za-z0-9]{60}', 'CLOJARS_', ['CLOJARS_{a-z0-9:60}'], 'github.com/clojars deploy tokens'),
  mark('docker-token', 'dckr_[po]at_[A-Za-z0-9_-]{27,40}', 'dckr_pat_ dckr_oat_', ['dckr_pat_{A-Za-z0-9_-:27}', 'dckr_oat_{A-Za-z0-9_-:32}'], 'docs.docker.com access tokens'),
  mark('buildkite-token', 'bk(?:ua|ct|at|pt|rt)_[A-Za-z0-9]{40,64}', 'bkua_ bkct_ bkat_ bkpt_ bkrt_', ['bkua_{a-z0-9:40}', 'bkct_{A-Za-z0-9:48}'], 'buildkite.com API tokens'),
  mark('circleci-token', 'CCI(?:PAT|PRJ)_[A-Za-z0-9]{20,24}_[0-9a-f]{40}', 'CCIPAT_ CCIPRJ_', ['CCIPAT_{A-Za-z0-9:22}_{0-9a-f:40}'], 'circleci.com API tokens'),
  mark('sonar-token', 'sq[upa]_[0-9a-f]{40}', 'squ_ sqp_ sqa_', ['squ_{0-9a-f:40}'], 'docs.sonarsource.com tokens'),
  mark('sentry-token', 'sntry[su]_[A-Za-z0-9+/=_-]{40,400}', 'sntrys_ sntryu_', ['sntrys_{A-Za-z0-9:120}', 'sntryu_{0-9a-f:64}'], 'docs.sentry.io auth tokens'),
  mark('grafana-token', 'glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2}|eyJrIjoi[A-Za-z0-9]{70,400}={0,2}', 'glsa_ glc_ eyJrIjoi', ['glsa_{A-Za-z0-9:32}_{0-9a-f:8}', 'glc_{A-Za-z0-9:60}=', 'eyJrIjoi{A-Za-z0-9:90}'], 'grafana.com service accounts, and API keys before them'),
  mark('newrelic-key', 'NR(?:AK|JS|II|RA)-[A-Za-z0-9]{19,42}', 'NRAK- NRJS- NRII- NRRA-', ['NRAK-{A-Z0-9:27}'], 'docs.newrelic.com API keys'),
  mark('dynatrace-token', 'dt0[a-z]\\d{2}\\.[A-Za-z0-9]{8,24}\\.[A-Za-z0-9]{64}', 'dt0c01. dt0s01. dt0s02. dt0s16.', ['dt0s16.{A-Z2-7:8}.{A-Z2-7:64}', 'dt0c01.{A-Z2-7:24}.{A-Z2-7:64}'], 'docs.dynatrace.com token format'),
  mark('postman-key', 'PMAK-[0-9a-f]{24}-[0-9a-f]{34}|PMAT-[A-Z0-9]{26}', 'PMAK- PMAT-', ['PMAK-{0-9a-f:24}-{0-9a-f:34}', 'PMAT-{A-Z0-9:26}'], 'learning.postman.com API keys and collection access keys'),
  mark('linear-key', 'lin_(?:api|oauth|wh)_[A-Za-z0-9_]{32,128}', 'lin_api_ lin_oauth_ lin_wh_', ['lin_api_{A-Za-z0-9:40}', 'lin_oauth_{0-9a-f:64}'], 'developers.linear.app'),
  mark('posthog-key', 'phx_[A-Za-z0-9]{40,60}', 'phx_', ['phx_{A-Za-z0-9:43}'], 'posthog.com personal API keys'),
  mark('sourcegraph-token', 'sg(?:p|d|s|ph)_(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40,64}', 'sgp_ sgd_ sgs_ sgph_', ['sgp_{0-9a-f:40}', 'sgp_{0-9a-f:16}_{0-9a-f:40}', 'sgd_{0-9a-f:64}'], 'sourcegraph.com access tokens'),
  key('jfrog-key', 'AKCp[A-Za-z0-9]{60,80}|cmVmd[A-Za-z0-9]{50,70}', 'AKCp cmVmd', ['AKCp{A-Za-z0-9:69}', 'cmVmdGtu{A-Za-z0-9:56}'], 'jfrog.com API keys and reference tokens', { loose: true }),
  key('octopus-key', 'API-[A-Z0-9]{25,36}', 'API-', ['API-{A-Z0-9:26}'], 'octopus.com API keys', { loose: true }),
  key('harness-key', '(?:pat|sat)\\.[A-Za-z0-9_-]{22}\\.[0-9a-zA-Z]{24}\\.[A-Za-z0-9]{20}', 'pat. sat.', ['pat.{A-Za-z0-9:22}.{0-9a-f:24}.{A-Za-z0-9:20}', 'sat.{A-Za-z0-9:22}.{0-9a-f:24}.{A-Za-z0-9:20}'], 'developer.harness.io API keys'),
  key('infracost-key', 'ico-[A-Za-z0-9]{32}', 'ico-', ['ico-{A-Za-z0-9:32}'], 'infracost.io API keys'),
  mark('prefect-key', 'pn[ubs]_[A-Za-z0-9]{36}', 'pnu_ pnb_ pns_', ['pnu_{A-Za-z0-9:36}'], 'docs.prefect.io API keys'),
  mark('readme-key', 'rdme_[A-Za-z0-9]{60,80}', 'rdme_', ['rdme_{a-z0-9:70}'], 'docs.readme.com API keys'),
  mark('snyk-token', 'snyk_(?:uat|sat)\\.[0-9a-f]{8}\\.[A-Za-z0-9_.-]{30,200}', 'snyk_uat. snyk_sat.', ['snyk_uat.{0-9a-f:8}.{A-Za-z0-9:60}'], 'docs.snyk.io API tokens'),
  mark('settlemint-token', 'sm_(?:aat|pat|sat)_[A-Za-z0-9]{16,40}', 'sm_aat_ sm_pat_ sm_sat_', ['sm_aat_{A-Za-z0-9:16}', 'sm_pat_{A-Za-z0-9:16}'], 'console.settlemint.com access tokens'),
  key('authress-key', '(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\\.[A-Za-z0-9]{4,6}\\.acc[_-][A-Za-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}', '.acc_ .acc-', ['sc_{A-Za-z0-9:12}.{A-Za-z0-9:5}.acc_{A-Za-z0-9:16}.{A-Za-z0-9:60}'], 'authress.io service client keys'),
  key('maxmind-key', '[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk', '_mmk', ['{A-Za-z0-9:6}_{A-Za-z0-9:29}_mmk'], 'dev.maxmind.com license keys'),
  mark('frameio-token', 'fio-u-[A-Za-z0-9_=-]{64}', 'fio-u-', ['fio-u-{A-Za-z0-9_-:64}'], 'developer.frame.io tokens'),
  mark('adobe-client-secret', 'p8e-[A-Za-z0-9_-]{32}', 'p8e-', ['p8e-{A-Za-z0-9:32}'], 'developer.adobe.com client secrets'),
  // Model providers and what stands around them.
  mark('anthropic-key', 'sk-ant-[A-Za-z0-9_-]{16,300}', 'sk-ant-', ['sk-ant-api03-{A-Za-z0-9_-:93}AA', 'sk-ant-oat01-{A-Za-z0-9_-:93}AA', 'sk-ant-admin01-{A-Za-z0-9_-:93}AA', 'sk-ant-{A-Za-z0-9_-:40}', 'sk-ant-sid01-{A-Za-z0-9_-:86}'], 'docs.anthropic.com API keys'),
  mark('openai-key', 'sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,200}T3BlbkFJ[A-Za-z0-9_-]{20,200}|sk-(?:proj|svcacct|admin|None|service)-[A-Za-z0-9_-]{20,300}', 'T3BlbkFJ sk-proj- sk-svcacct- sk-admin- sk-None- sk-service-', ['sk-proj-{A-Za-z0-9_-:74}T3BlbkFJ{A-Za-z0-9_-:74}', 'sk-{A-Za-z0-9:20}T3BlbkFJ{A-Za-z0-9:20}', 'sk-svcacct-{A-Za-z0-9_-:58}T3BlbkFJ{A-Za-z0-9_-:58}', 'sk-proj-{A-Za-z0-9_-:48}', 'sk-svcacct-{A-Za-z0-9_-:48}', 'sk-admin-{A-Za-z0-9_-:48}'], 'platform.openai.com API keys'),
  mark('openrouter-key', 'sk-or-v1-[0-9a-f]{64}', 'sk-or-v1-', ['sk-or-v1-{0-9a-f:64}'], 'openrouter.ai API keys'),
  mark('langfuse-key', 'sk-lf-[0-9a-f-]{36}', 'sk-lf-', ['sk-lf-{uuid}'], 'langfuse.com API keys'),
  key('sk-key', 'sk-[A-Za-z0-9]{20,200}', 'sk-', ['sk-{0-9a-f:32}', 'sk-{A-Za-z0-9:20}', 'sk-{A-Za-z0-9:48}'], 'DeepSeek, Moonshot and other OpenAI-like providers', { loose: true }),
  mark('groq-key', 'gsk_[A-Za-z0-9]{52}', 'gsk_', ['gsk_{A-Za-z0-9:52}'], 'console.groq.com'),
  mark('xai-key', 'xai-[A-Za-z0-9]{80}', 'xai-', ['xai-{A-Za-z0-9:80}'], 'docs.x.ai API keys'),
  mark('perplexity-key', 'pplx-[A-Za-z0-9]{48,56}', 'pplx-', ['pplx-{A-Za-z0-9:48}'], 'docs.perplexity.ai'),
  mark('huggingface-token', '(?:hf|hf_oauth|api_org)_[A-Za-z0-9]{30,80}', 'hf_ api_org_', ['hf_{A-Za-z:34}', 'hf_{A-Za-z0-9:34}', 'api_org_{A-Za-z:34}', 'hf_oauth_{A-Za-z0-9:60}'], 'huggingface.co security tokens'),
  key('replicate-token', 'r8_[A-Za-z0-9]{37}', 'r8_', ['r8_{A-Za-z0-9:37}'], 'replicate.com API tokens'),
  mark('cerebras-key', 'csk-[a-z0-9]{48}', 'csk-', ['csk-{a-z0-9:48}'], 'inference-docs.cerebras.ai'),
  mark('nvidia-key', 'nvapi-[A-Za-z0-9_-]{64}', 'nvapi-', ['nvapi-{A-Za-z0-9_-:64}'], 'docs.api.nvidia.com'),
  mark('together-key', 'tgp_v1_[A-Za-z0-9_-]{43}', 'tgp_v1_', ['tgp_v1_{A-Za-z0-9_-:43}'], 'docs.together.ai API keys'),
  mark('langsmith-key', 'lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}', 'lsv2_', ['lsv2_pt_{0-9a-f:32}_{0-9a-f:10}'], 'docs.smith.langchain.com API keys'),
  mark('tavily-key', 'tvly-(?:dev-|prod-)?[A-Za-z0-9-]{32,56}', 'tvly-', ['tvly-dev-{A-Za-z0-9:32}'], 'docs.tavily.com'),
  mark('jina-key', 'jina_[0-9a-f]{32}[A-Za-z0-9_-]{28}', 'jina_', ['jina_{0-9a-f:32}{A-Za-z0-9_-:28}'], 'jina.ai API keys'),
  mark('pinecone-key', 'pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,80}', 'pcsk_', ['pcsk_{A-Za-z0-9:6}_{A-Za-z0-9:63}'], 'docs.pinecone.io API keys'),
  key('elevenlabs-key', 'sk_[0-9a-f]{48}', 'sk_', ['sk_{0-9a-f:48}'], 'elevenlabs.io API keys'),
  mark('wandb-key', 'wandb_v1_[A-Za-z0-9_]{60,100}', 'wandb_v1_', ['wandb_v1_{A-Za-z0-9_:77}'], 'docs.wandb.ai API keys'),
  key('firecrawl-key', 'fc-[0-9a-f]{32}', 'fc-', ['fc-{0-9a-f:32}'], 'docs.firecrawl.dev API keys'),
  mark('e2b-key', 'e2b_[0-9a-f]{40}', 'e2b_', ['e2b_{0-9a-f:40}'], 'e2b.dev API keys'),
  key('cursor-key', '(?:key|crsr)_[0-9a-f]{64}', 'key_ crsr_', ['key_{0-9a-f:64}', 'crsr_{0-9a-f:64}'], 'cursor.com API keys'),
  mark('context7-key', 'ctx7sk-[0-9a-f-]{36}', 'ctx7sk-', ['ctx7sk-{uuid}'], 'context7.com API keys'),
  // Payment, messages, shops and other services.
  mark('stripe-key', '(?:[sre]k)_(?:live|test|prod)_[A-Za-z0-9]{10,247}', 'sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_ ek_live_ ek_test_', ['sk_prod_{A-Za-z0-9:24}', 'ek_live_{A-Za-z0-9:60}', 'rk_prod_{A-Za-z0-9:24}', 'sk_live_{0-9a-f:40}', 'sk_live_{A-Za-z0-9:24}', 'rk_live_{A-Za-z0-9:99}', 'sk_test_{A-Za-z0-9:24}'], 'docs.stripe.com API keys'),
  mark('stripe-webhook', 'whsec_[A-Za-z0-9+/=]{24,64}', 'whsec_', ['whsec_{A-Za-z0-9:32}'], 'docs.stripe.com webhooks'),
  key('square-token', '(?:sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,60}|EAAA[A-Za-z0-9_-]{22,60})', 'sq0atp- sq0csp- EAAA', ['EAAA{A-Za-z0-9_-:60}', 'sq0atp-{A-Za-z0-9_-:22}', 'sq0csp-{A-Za-z0-9_-:43}'], 'developer.squareup.com access tokens', { loose: true }),
  mark('shopify-token', 'shp(?:at|ca|pa|ss|ua|tka|atk|mps)_[0-9a-zA-Z]{32,64}', 'shpat_ shpca_ shppa_ shpss_ shpua_ shptka_ shpatk_ shpmps_', ['shpua_{0-9a-f:32}', 'shpat_{0-9a-f:32}', 'shpss_{0-9a-f:32}'], 'shopify.dev access tokens'),
  key('easypost-key', 'EZ[AT]K[A-Za-z0-9]{54}', 'EZAK EZTK', ['EZAK{A-Za-z0-9:54}'], 'docs.easypost.com'),
  mark('slack-token', '(?:(?:xoxe\\.)?xox[abeoprs]|xapp|xwfp)-(?=[A-Za-z-]{0,60}\\d)[A-Za-z0-9-]{8,400}|xox[cd]-[A-Za-z0-9%/+=-]{20,400}', 'xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- xwfp-', ['xoxe.xoxp-1-{A-Z0-9:163}', 'xoxe-1-{A-Z0-9:146}', 'xoxc-{0-9:12}-{0-9:12}-{0-9:12}-{0-9a-f:64}', 'xoxd-{A-Za-z0-9:120}', 'xoxb-{0-9:12}-{0-9:12}-{A-Za-z0-9:24}', 'xoxp-{0-9:12}-{0-9:12}-{0-9:12}-{0-9a-f:32}', 'xapp-1-A{A-Z0-9:10}-{0-9:13}-{0-9a-f:64}'], 'api.slack.com token types'),
  rule('webhook', '(?:hooks\\.slack\\.com/(?:services|workflows|triggers)|discord(?:app)?\\.com/api/webhooks|\\.webhook\\.office\\.com/webhookb2|hooks\\.zapier\\.com/hooks/catch|\\bhook\\.(?:[a-z]{2}\\d\\.)?make\\.com|/open-apis/bot/v2/hook|qyapi\\.weixin\\.qq\\.com/cgi-bin/webhook/send\\?key=|api\\.netlify\\.com/build_hooks|api\\.vercel\\.com/v1/integrations/deploy)/?([A-Za-z0-9@/+_-]{10,300})', 'hooks.slack.com/ api/webhooks/ webhook.office.com hooks.zapier.com make.com/ /open-apis/bot/v2/hook/ qyapi.weixin.qq.com api.netlify.com/build_hooks/ api.vercel.com/v1/integrations/deploy/', ['https://hooks.slack.com/services/T{A-Z0-9:10}/B{A-Z0-9:10}/{A-Za-z0-9:24}', 'https://discord.com/api/webhooks/{0-9:18}/{A-Za-z0-9_-:68}', 'acme.webhook.office.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/{0-9a-f:32}/{uuid}', 'hooks.zapier.com/hooks/catch/{1-9:7}/{a-z0-9:7}', 'hook.eu1.make.com/{a-z0-9:32}', 'open.feishu.cn/open-apis/bot/v2/hook/{uuid}', 'qyapi.weixin.qq.com/cgi-bin/webhook/send?key={uuid}', 'api.netlify.com/build_hooks/{0-9a-f:24}', 'api.vercel.com/v1/integrations/deploy/prj_{A-Za-z0-9:28}/{A-Za-z0-9:10}'], 'addresses whose path is the key: Slack, Discord, Teams, Zapier, Make, Feishu, WeCom, Netlify, Vercel', { loose: true }),
  key('discord-token', '[MNO][A-Za-z0-9_-]{23,25}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,38}', '', ['M{A-Za-z0-9:23}.{A-Za-z0-9:6}.{A-Za-z0-9_-:27}', 'N{A-Za-z0-9:25}.{A-Za-z0-9:6}.{A-Za-z0-9:38}'], 'discord.com developers reference'),
  key('telegram-token', '(?:bot)?\\d{8,10}:AA[A-Za-z0-9_-]{33}', ':AA', ['{0-9:10}:AA{A-Za-z0-9_-:33}', 'bot{0-9:10}:AA{A-Za-z0-9_-:33}'], 'core.telegram.org bots API'),
  key('twilio-key', '(?:AC|SK)[0-9a-f]{32}:[0-9a-f]{32}|SK[0-9a-fA-F]{32}', 'AC SK', ['SK{0-9a-f:32}', 'AC{0-9a-f:32}:{0-9a-f:32}'], 'twilio.com API keys and account credentials'),
  mark('sendgrid-key', `SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}|${START}SG\\.[A-Za-z0-9=_.-]{60,80}`, 'SG.', ['SG.{A-Za-z0-9_-:22}.{A-Za-z0-9_-:43}'], 'docs.sendgrid.com API keys'),
  key('mailgun-key', '(?:pub)?key-[0-9a-f]{32}', 'key-', ['key-{0-9a-f:32}', 'pubkey-{0-9a-f:32}'], 'documentation.mailgun.com'),
  key('mailgun-key', `${HEX_32}-[0-9a-f]{8}-[0-9a-f]{8}`, '', ['{0-9a-f:32}-{0-9a-f:8}-{0-9a-f:8}'], 'documentation.mailgun.com'),
  key('mailchimp-key', `${HEX_32}-us\\d{1,2}`, '-us', ['{0-9a-f:32}-us14'], 'mailchimp.com developer API keys'),
  mark('brevo-key', 'x(?:keysib|smtpsib)-[0-9a-f]{64}-[A-Za-z0-9]{16}', 'xkeysib- xsmtpsib-', ['xkeysib-{0-9a-f:64}-{A-Za-z0-9:16}'], 'developers.brevo.com'),
  key('resend-key', 're_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}', 're_', ['re_{A-Za-z0-9:8}_{A-Za-z0-9:24}'], 'resend.com API keys'),
  mark('figma-token', 'figd_[A-Za-z0-9_-]{40,200}', 'figd_', ['figd_{A-Za-z0-9_-:40}'], 'figma.com access tokens'),
  key('notion-token', 'ntn_\\d{11}[A-Za-z0-9]{35}|secret_[A-Za-z0-9]{43}', 'ntn_ secret_', ['ntn_{0-9:11}{A-Za-z0-9:35}', 'secret_{A-Za-z0-9:43}'], 'developers.notion.com', { loose: true }),
  key('airtable-token', 'pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}', 'pat', ['pat{A-Za-z0-9:14}.{0-9a-f:64}'], 'airtable.com developers'),
  mark('hubspot-token', 'pat-(?:na|eu|ap)\\d-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'pat-na1- pat-eu1- pat-ap1-', ['pat-na1-{uuid}', 'pat-ap1-{uuid}'], 'developers.hubspot.com private apps'),
  mark('onepassword-token', 'ops_ey[A-Za-z0-9+/=_-]{100,1400}', 'ops_ey', ['ops_ey{A-Za-z0-9:300}'], 'developer.1password.com service accounts'),
  key('onepassword-secret-key', 'A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}', 'A3-', ['A3-{A-Z0-9:6}-{A-Z0-9:6}-{A-Z0-9:5}-{A-Z0-9:5}-{A-Z0-9:5}-{A-Z0-9:5}'], 'support.1password.com secret key'),
  mark('age-key', 'AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}', 'AGE-SECRET-KEY-1', ['AGE-SECRET-KEY-1{QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L:58}'], 'age-encryption.org/v1'),
  key('facebook-token', 'EAA[A-Z][A-Za-z0-9]{60,400}', 'EAA', ['EAAC{A-Za-z0-9:150}', 'EAAB{A-Za-z0-9:150}'], 'developers.facebook.com access tokens', { loose: true }),
  mark('wallet-key', '[txyz]prv[1-9A-HJ-NP-Za-km-z]{100,110}', 'prv', ['xprv9s21ZrQH143K{1-9A-HJ-NP-Za-km-z:96}'], 'BIP 32 and its relatives'),
  mark('flutterwave-key', 'FLW(?:SECK|PUBK)(?:_TEST)?-[A-Za-z0-9]{12,32}(?:-X)?', 'FLWSECK FLWPUBK', ['FLWSECK_TEST-{a-h0-9:32}-X', 'FLWPUBK_TEST-{a-h0-9:32}-X', 'FLWSECK_TEST-{a-h0-9:12}'], 'developer.flutterwave.com API keys'),
  mark('intra42-secret', 's-s4t2(?:ud|af)-[0-9a-fA-F]{64}', 's-s4t2ud- s-s4t2af-', ['s-s4t2ud-{0-9a-f:64}', 's-s4t2af-{0-9a-f:64}'], 'api.intra.42.fr applications'),
  mark('duffel-token', 'duffel_(?:test|live)_[A-Za-z0-9_=-]{43}', 'duffel_', ['duffel_live_{A-Za-z0-9_-:43}'], 'duffel.com access tokens'),
  key('payment-key', '(?:live|sandbox)_[A-Za-z0-9_=-]{40}|(?:live|test|access)_(?:pub_)?[A-Za-z0-9]{30,50}', 'live_ sandbox_ test_ access_', ['live_{A-Za-z0-9_-:40}', 'sandbox_{A-Za-z0-9_-:40}', 'live_{0-9a-f:35}', 'test_pub_{0-9a-f:31}', 'live_{A-Za-z0-9:30}', 'access_{A-Za-z0-9:40}'], 'developer.gocardless.com, docs.lob.com and docs.mollie.com', { loose: true }),
  // Logins in command lines, connections and files: the program or the file says what the value is.
  rule('command-password', `\\b(?:(?:mysql|mariadb)[a-z]{0,6}\\b[^\\n]{0,200}?\\s-p(?![\\s=])|sshpass\\s+-p\\s?|redis-cli\\b[^\\n]{0,200}?\\s(?:-a|--pass)\\s+|(?:${LOGIN}|mongo(?:sh|dump|restore|export|import)?\\b|evil-winrm\\b|psexec\\b|twine\\s+upload\\b)[^\\n]{0,200}?\\s-p\\s+|ldap(?:search|modify|add|delete|passwd|whoami)\\b[^\\n]{0,200}?\\s-w\\s+|(?:sqlcmd|bcp|ipmitool)\\b[^\\n]{0,200}?\\s-P\\s?|ssh-keygen\\b[^\\n]{0,200}?\\s-[NP]\\s+|net\\s+use\\b[^\\n]{0,120}?/user:\\S{1,80}\\s+|(?:cmdkey|xfreerdp)\\b[^\\n]{0,200}?\\s/p(?:ass)?:|gh\\s+secret\\s+set\\b[^\\n]{0,120}?\\s(?:--body|-b)[\\s=]+|htpasswd\\s+-\\w{0,6}b\\w{0,6}\\s+\\S{1,80}\\s+\\S{1,80}\\s+|wpa_passphrase\\s+\\S{1,40}\\s+|rabbitmqctl\\s+(?:add_user|change_password)\\s+\\S{1,60}\\s+|ansible-vault\\s+encrypt_string\\s+|rclone\\s+obscure\\s+)${VALUE}`, 'mysql mariadb sshpass redis-cli login twine mongo evil-winrm psexec ldap sqlcmd bcp ipmitool ssh-keygen /user: cmdkey xfreerdp secret htpasswd wpa_passphrase rabbitmqctl ansible-vault rclone', ['mysql -u root -p{A-Za-z0-9:14} app', 'sshpass -p {A-Za-z0-9:14} ssh deploy@host', 'redis-cli -h cache -a {A-Za-z0-9:20} ping', 'docker login -u ci -p {A-Za-z0-9:24} registry.example.org', 'mongosh -u root -p {A-Za-z0-9:14}', 'ldapsearch -x -D cn=admin -w {A-Za-z0-9:14} -b dc=x', 'net use x: /user:dom {A-Za-z0-9:14}', 'gh secret set DEPLOY_TOKEN --body "{A-Za-z0-9:32}"', 'htpasswd -b f admin {A-Za-z0-9:14}', 'sqlcmd -S db -U sa -P {A-Za-z0-9:14}', 'rabbitmqctl add_user app {A-Za-z0-9:14}'], 'manuals of the programs', { chosen: true }),
  rule('option-password', `\\b(?:(?:unzip|zip|7z[ar]?|rar|unrar)\\b[^\\n|;&]{0,200}?\\s-[pP]\\s?|security\\s[^\\n]{0,200}?\\s-[wp]\\s+|openssl\\s[^\\n]{0,200}?\\s-[kK]\\s+|snmp\\w{1,12}\\s[^\\n]{0,200}?\\s-[AX]\\s+|lftp\\s[^\\n]{0,80}?-u\\s+[\\w.@-]{1,60},|kubectl\\s[^\\n]{0,300}?--from-literal[=\\s][\\w.-]{1,80}=|(?:requirepass|masterauth|bindpw|AUTH)\\s+)${VALUE}`, 'zip rar 7z security openssl snmp lftp --from-literal requirepass masterauth bindpw AUTH', ['unzip -P {A-Za-z0-9:14} a.zip', '7z x -p{A-Za-z0-9:14} a.7z', 'security add-generic-password -s x -w {A-Za-z0-9:14}', 'kubectl create secret generic db --from-literal=foo={A-Za-z0-9:16}', 'openssl enc -aes-256-cbc -k {A-Za-z0-9:14} -in a', 'requirepass {A-Za-z0-9:20}'], 'manuals of the programs', { chosen: true, loose: true }),
  rule('piped-password', `(?:\\b(?:echo|printf)\\s+(?:-\\w+\\s+|["']?%s(?:\\\\n)?["']?\\s+)?${VALUE}["']?\\s*\\|[^\\n|]{0,80}?${SINK}|${SINK}[^\\n|]{0,80}?<<<\\s*${VALUE})`, 'login -stdin --with-token sudo secret env kinit', ['echo {A-Za-z0-9:24} | docker login -u ci --password-stdin', 'echo {A-Za-z0-9:14} | sudo -S ls', 'sudo -S ls <<< "{A-Za-z0-9:14}"', 'printf %s "{A-Za-z0-9:24}" | gh auth login --with-token'], 'manuals of the programs', { chosen: true }),
  rule('call-password', `\\b(?:getConnection|[cC]onnect|createConnection|PDO|mysqli|Sequelize|\\w{0,9}BasicAuth|[aA]uth|[lL]ogin)\\s?=?\\s?\\((?:\\s{0,20}[^,()\\s][^,()\\n]{0,120},){1,3}?\\s{0,20}["']([^"'\\s]{8,100})["']\\s{0,20}[,)]`, 'onnect PDO mysqli equelize Auth auth ogin', ['DriverManager.getConnection(url, "app", "{A-Za-z0-9:24}")', "smtp.login('bot@example.org', '{A-Za-z0-9:24}')", "new PDO('mysql:host=db', 'app', '{A-Za-z0-9:24}')"], 'arguments of a login, in order', { chosen: true, loose: true }),
  rule('wireless-password', 'WIFI:(?:[^;\\n]{0,80};){0,4}?P:((?:\\\\.|[^;\\\\\\n]){8,63});', 'WIFI:', ['WIFI:T:WPA;S:home;P:{A-Za-z0-9:14};;'], 'codes that join a wireless network', { chosen: true }),
  rule('curl-user', '\\bcurl\\b[^\\n]{0,300}?\\s(?:-[uU]\\s{0,3}|--(?:proxy-)?user[\\s=]\\s?)["\']?[^\\s:"\'$]{1,80}:([^\\s"\'$\\\\]{6,200})', 'curl', ['curl -sS -u admin:{A-Za-z0-9:14} https://ci.example.org/job/build', "curl -u 'admin:{A-Za-z0-9:14}' https://ci.example.org"], 'curl(1)', { chosen: true }),
  rule('httpie-user', '\\b(?:https?|xh)\\s[^\\n]{0,200}?(?:-a|--auth)[\\s=]\\s?["\']?[^\\s:"\'$]{1,80}:([^\\s"\'$\\\\]{6,200})', 'http xh', ['http -a admin:{A-Za-z0-9:14} https://ci.example.org'], 'httpie.io authentication', { chosen: true }),
  rule('sqlplus-password', `\\bsqlplus\\s[^\\n]{0,80}?["']?[\\w$]{1,40}/([^\\s@"']{6,100})@`, 'sqlplus', ['sqlplus app/{A-Za-z0-9:14}@db:1521/XE'], 'docs.oracle.com SQL*Plus', { chosen: true }),
  rule('oracle-address', `jdbc:oracle:thin:[\\w$]{1,40}/([^\\s@"']{4,100})@`, 'jdbc:oracle', ['jdbc:oracle:thin:app/{A-Za-z0-9:14}@//db:1521/XE'], 'docs.oracle.com JDBC', { chosen: true }),
  rule('samba-password', `(?:smbclient|rpcclient|winexe)\\b[^\\n]{0,200}?\\s(?:-U|--user)[\\s=]?\\s?["']?[^\\s%"']{1,60}%([^\\s"'\\\\]{6,100})`, 'smbclient rpcclient winexe', ['smbclient //host/share -U app%{A-Za-z0-9:14}'], 'smbclient(1)', { chosen: true, isSure: true }),
  rule('chpasswd', `\\b[\\w-]{1,32}:([^\\s"':|]{6,100})["']?\\s*\\|\\s*(?:sudo\\s+)?chpasswd`, 'chpasswd', ["echo 'deploy:{A-Za-z0-9:14}' | chpasswd"], 'chpasswd(8)', { chosen: true }),
  rule('sql-password', `\\b(?:(?:password|identified\\s+(?:with\\s+\\w+\\s+)?by(?:\\s+password)?)\\s+["']|identified\\s+by\\s+)([^"'\\s\\\\;]{6,100})`, 'password identified', ["CREATE USER app WITH PASSWORD '{A-Za-z0-9:14}';", "CREATE USER app IDENTIFIED BY '{A-Za-z0-9:14}';"], 'postgresql.org CREATE ROLE, dev.mysql.com CREATE USER', { flags: 'i', chosen: true, loose: true }),
  rule('secure-string', `convertto-securestring\\s+(?:-string\\s+)?["']([^"'\\s\\\\]{6,100})`, 'convertto-securestring', ["ConvertTo-SecureString '{A-Za-z0-9:14}' -AsPlainText -Force"], 'learn.microsoft.com ConvertTo-SecureString', { flags: 'i', chosen: true }),
  rule('go-address', '(?<![\\w.-])[\\w.-]{1,40}:([^\\s:@/"\'`]{6,100})@(?:tcp|unix|udp)\\(', '@tcp( @unix( @udp(', ['app:{A-Za-z0-9:14}@tcp(db.internal:3306)/app'], 'github.com/go-sql-driver/mysql data source names', { chosen: true }),
  rule('pgpass', '(?<![\\w.*:/-])[\\w.*-]{1,80}:(?:\\d{2,5}|\\*):[A-Za-z_*][\\w*-]{0,60}:[A-Za-z_][\\w-]{0,60}:([^\\s:"\']{6,100})(?=\\s|$)', ':5432: :3306: :6432: :5433: :*:', ['db.internal:5432:app:app:{A-Za-z0-9:16}'], 'postgresql.org password file', { chosen: true, loose: true }),
  rule('crypt-hash', '\\$(?:2[abxy]|1|5|6|y|apr1|argon2id?|scrypt)\\$[A-Za-z0-9./$=,+-]{20,300}', '$2a$ $2b$ $2x$ $2y$ $1$ $5$ $6$ $y$ $apr1$ $argon2 $scrypt$', ['$2b$12${A-Za-z0-9./:53}', '$6${A-Za-z0-9:16}${A-Za-z0-9./:86}', '$apr1${A-Za-z0-9:8}${A-Za-z0-9./:22}'], 'crypt(5)'),
  rule('jwk', '"d"\\s{0,3}:\\s{0,3}"([A-Za-z0-9_-]{40,700})', 'kty', ['{"kty":"EC","d":"{A-Za-z0-9_-:43}"}'], 'RFC 7517'),
  rule('putty-key', 'Private-Lines:\\s{0,3}\\d{1,3}', 'Private-Lines:', ['Private-Lines: 1\n{A-Za-z0-9+/:48}\nPrivate-MAC: {0-9a-f:40}'], 'PuTTY private key files', { holds: 'body' }),
  rule('sidekiq-key', '(?:contribsys__com\\w{0,10}\\s?[=:]\\s?["\']?|://)([0-9a-f]{8}:[0-9a-f]{8})(?=@(?:gems|enterprise)\\.contribsys\\.com|["\'\\s\\\\]|$)', 'contribsys', ['BUNDLE_ENTERPRISE__CONTRIBSYS__COM={0-9a-f:8}:{0-9a-f:8}', 'https://{0-9a-f:8}:{0-9a-f:8}@gems.contribsys.com/x'], 'github.com/sidekiq installation', { flags: 'i' }),
  rule('recovery-phrase', '(?:mnemonic|(?:seed|recovery)[ _-]?phrase)[^a-z0-9\\n]{1,8}((?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?![a-z ])', 'mnemonic phrase', ['mnemonic: "abandon ability able about above absent absorb abstract absurd abuse access zebra"'], 'BIP 39', { flags: 'i' }),
  // Forms that any service uses: key blocks, signed tokens, credentials in addresses and headers.
  rule('private-key', 'BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----', 'PRIVATE KEY', ['-----BEGIN RSA PRIVATE KEY-----\nMI{A-Za-z0-9+/:62}\n{A-Za-z0-9+/:64}\n{A-Za-z0-9+/:64}\n-----END RSA PRIVATE KEY-----', '-----BEGIN OPENSSH PRIVATE KEY-----\n{A-Za-z0-9+/:70}\n{A-Za-z0-9+/:70}'], 'RFC 7468', { holds: 'body' }),
  rule('private-key', '(?<![A-Za-z0-9/])(?=MII[A-Za-z0-9+/]{3}IBA(?:DANBgkqhkiG9w0BAQ|AK[BC])|MII[A-Za-z0-9+/]{1,6}BgkqhkiG9w0BBQ|MHcCAQEEI|MIGkAgEBBD|MIHcAgEBBE|MIGHAgEAMBMG|MIG2AgEAMBAG|MIHuAgEAMBAG|MC4CAQAwBQYDK2VwBC|b3BlbnNzaC1rZXktdjE)', 'MII MHcCAQEEI MIGkAgEBBD MIHcAgEBBE MIGHAgEAMBMG MIG2AgEAMBAG MIHuAgEAMBAG MC4CAQAwBQYDK2VwBC b3BlbnNzaC1rZXktdjE', ['MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{A-Za-z0-9+/:32}\n{A-Za-z0-9+/:64}', 'MHcCAQEEI{A-Za-z0-9+/:55}\n{A-Za-z0-9+/:64}'], 'RFC 5208, 5915 and 8410, and PROTOCOL.key of OpenSSH, without their headers', { holds: 'body' }),
  rule('private-key', 'LS0tLS1CRUdJTi(?:BQUklWQVRF|BSU0EgUFJJ|BFQyBQUklW|BPUEVOU1NI|BFTkNSWVBU|BEU0EgUFJJ|BQR1AgUFJJ)[A-Za-z0-9+/]{40,12000}={0,2}', 'LS0tLS1CRUdJTi', ['LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t{A-Za-z0-9+/:400}'], 'RFC 7468, in base64'),
  rule('jwt', '(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{0,200}?(eyJ[A-Za-z0-9_-]{12,4000}\\.ey[A-Za-z0-9/_-]{12,4000}\\.[A-Za-z0-9/_-]{10,1000}={0,2})', 'eyJ', ['eyJ{A-Za-z0-9_-:30}.eyJ{A-Za-z0-9_-:80}.{A-Za-z0-9_-:43}'], 'RFC 7519'),
  rule('jwt-base64', '(?<![A-Za-z0-9])ZXlK[A-Za-z0-9+/_-]{50,4000}={0,2}', 'ZXlK', ['ZXlKaGJHY2lPaU{A-Za-z0-9+/:80}=='], 'RFC 7519, in base64', { loose: true }),
  rule('kubernetes-secret', 'Secret\\b(?<=\\bkind["\']?:[ \\t]{0,4}["\']?Secret)', 'Secret', ['kind: Secret\ndata:\n  config: {A-Za-z0-9+/:22}==', 'data:\n  config: {A-Za-z0-9+/:22}==\nkind: Secret', '{"data":{"config":"{A-Za-z0-9+/:22}=="},"kind":"Secret"}'], 'kubernetes.io secrets', { chosen: true, loose: true, holds: 'entries' }),
  rule('url-credentials', '://(?<=(?<![A-Za-z0-9])(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|smtps?|ftps?|sftp|ldaps?|mssql|sqlserver|cockroachdb|clickhouse|snowflake|nats|mqtts?)(?:\\+\\w{1,20})?://)[^\\s/:@"\'<>`$\\\\{}*]{0,80}:([^\\s"\'<>`$\\\\{}*]{4,256})@[A-Za-z0-9[]', '://', ['postgres://app:{A-Za-z0-9:8}/{A-Za-z0-9:8}@db.internal:5432/app', 'mysql://app:{A-Za-z0-9:8}({A-Za-z0-9:8}@db.internal:3306/app'], 'RFC 3986 userinfo, as data bases take it', { chosen: true }),
  rule('url-token', 'https?://([A-Za-z0-9_-]{20,200})(?::|%3A)?@(?![\\w.-]*sentry)[A-Za-z0-9]', '://', ['https://{0-9a-f:40}@git.example.org/acme/app.git'], 'RFC 3986 userinfo', { loose: true }),
  rule('url-credentials', '://(?<=(?<![A-Za-z0-9])[a-z][a-z0-9+.-]{1,20}://)[^\\s/:@"\'<>`$\\\\{}*]{0,80}:([^\\s/@"\'<>`$\\\\{}*[\\]]{4,256})@[A-Za-z0-9]', '://', ['https://dev:{A-Za-z0-9:16}@git.example.org/acme/app.git', 'postgres://app:{A-Za-z0-9:20}@db.internal:5432/app', 'redis://:{A-Za-z0-9:24}@cache.internal:6379/0', 'mongodb+srv://app:{A-Za-z0-9:18}@cluster0.mongodb.example'], 'RFC 3986 userinfo', { chosen: true }),
  rule('basic-auth', '\\b[Bb]asic[ \\t]{1,3}([A-Za-z0-9+/]{12,400}={0,2})(?![A-Za-z0-9+/])', 'asic', ['sent Basic Y2k6a2Fs{A-Za-z0-9+/:24} and got 200'], 'RFC 7617', { chosen: true, loose: true }),
  rule('bearer', '(?<![A-Za-z0-9])[Bb]earer[ \\t]{1,3}((?=[A-Za-z._~+/-]{0,400}\\d)[A-Za-z0-9._~+/-]{20,2000}={0,2})', 'earer', ['sent Bearer {A-Za-z0-9:40} and got 200'], 'RFC 6750', { chosen: true, loose: true }),
]

/** Where the secret of each match stands in a text, and from where to where its rule knew it. */
export function* placesOf({ pattern, holds }: SecretRule, text: string) {
  let done = 0
  for (const match of text.matchAll(pattern)) {
    const from = match.index
    const to = from + match[0].length
    if (holds === undefined) {
      const value = match[1] ?? match[0]
      const start = from + match[0].lastIndexOf(value)
      yield { start, end: start + value.length, from, to }
    } else if (holds === 'entries') {
      const near = Math.max(done, from - NEAR)
      done = Math.max(near, Math.min(text.length, to + NEAR))
      for (const { start, end } of entriesBetween(text, near, done))
        yield { start, end, from: start, to: end }
    } else if (from >= done) {
      const body = bodyBehind(text, to)
      if (body === null) continue
      done = body.end
      yield { ...body, from: body.start, to: body.end }
    }
  }
}

/** A key has no more characters, with what its lines are prefixed with. */
const LONGEST_BODY = 20_000
const LEAST_BODY = 24
/** What may stand before the first line and between two lines: headers, numbers, prefixes of logs and quotes. */
const BEFORE_BODY = 240
const BETWEEN_LINES = 100
const STOP = /-----END|Private-(?:MAC|Lines)|\0|-----BEGIN/
/** The next base64 in a row that may be a line of a key, before its end; the last line may be short. */
const NEXT_LINE = new RegExp(
  `(?:(?!${STOP.source})[^]){0,${BEFORE_BODY}}?([A-Za-z0-9+/]{16,${LONGEST_BODY}}={0,2}|[A-Za-z0-9+/]{2,15}={1,2})`,
  'y',
)

/** The body of a key, from its first line to the last one before its end, whatever prefixes the lines. */
function bodyBehind(text: string, at: number): { start: number; end: number } | null {
  let [start, end, count] = [-1, at, 0]
  NEXT_LINE.lastIndex = at
  for (
    let next = NEXT_LINE.exec(text);
    next !== null && end - at < LONGEST_BODY;
    next = NEXT_LINE.exec(text)
  ) {
    const { 1: line = '' } = next
    const from = NEXT_LINE.lastIndex - line.length
    if (from - end > (start < 0 ? BEFORE_BODY : BETWEEN_LINES)) break
    if (isNameLike(line)) continue
    if (start < 0) start = from
    end = NEXT_LINE.lastIndex
    count += line.length
  }
  if (count < LEAST_BODY) return null
  // What is left before the line with the end of the key is the rest of its last line.
  const behind = text.slice(end, end + BEFORE_BODY)
  const stop = STOP.exec(behind)?.index ?? 0
  const rest = behind.slice(0, Math.max(0, behind.lastIndexOf('\n', stop)))
  end += /^.*[A-Za-z0-9+/=]/s.exec(rest.slice(0, BETWEEN_LINES))?.[0].length ?? 0
  return { start, end }
}

/** How far from `kind: Secret` its values are looked for. */
const NEAR = 8000
const ENTRIES = /\b(?:data|stringData)["']?:/g
const ENTRY =
  /[\s,{\d+→>|-]{0,60}["']?[\w.-]{1,80}["']?[ \t]{0,4}:[ \t]{0,4}["']?(?:([A-Za-z0-9+/]{10,4000}={0,3})(?=["'\s,}]|$)|[^\s"',{}]{0,200})["']?/y

/** The values of a Kubernetes secret, in YAML or JSON, whose map begins in a stretch. */
function* entriesBetween(text: string, from: number, to: number): Generator<{ start: number; end: number }> {
  let done = from
  for (const { 0: map, index } of text.slice(from, to).matchAll(ENTRIES)) {
    ENTRY.lastIndex = from + index + map.length
    if (ENTRY.lastIndex < done) continue
    for (let entry = ENTRY.exec(text); entry !== null && entry.index < to; entry = ENTRY.exec(text)) {
      done = ENTRY.lastIndex
      const value = entry[1]
      if (value === undefined) continue
      const start = entry.index + entry[0].lastIndexOf(value)
      yield { start, end: start + value.length }
    }
  }
}
