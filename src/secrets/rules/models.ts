import { key, type SecretRule } from '../rule.ts'

/** Model providers and what stands around them. */
// biome-ignore format: one rule a line reads as a table
export const modelRules: readonly SecretRule[] = [
  key('anthropic-key', 'sk-ant-[a-z]{2,10}\\d{2}-[A-Za-z0-9_-]{80,130}', 'sk-ant-', ['sk-ant-api03-{A-Za-z0-9_-:93}AA', 'sk-ant-oat01-{A-Za-z0-9_-:93}AA', 'sk-ant-admin01-{A-Za-z0-9_-:93}AA'], 'docs.anthropic.com API keys', { raw: true }),
  key('openai-key', 'sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,200}T3BlbkFJ[A-Za-z0-9_-]{20,200}', 'T3BlbkFJ', ['sk-proj-{A-Za-z0-9_-:74}T3BlbkFJ{A-Za-z0-9_-:74}', 'sk-{A-Za-z0-9:20}T3BlbkFJ{A-Za-z0-9:20}', 'sk-svcacct-{A-Za-z0-9_-:58}T3BlbkFJ{A-Za-z0-9_-:58}'], 'platform.openai.com API keys', { raw: true }),
  key('openrouter-key', 'sk-or-v1-[0-9a-f]{64}', 'sk-or-v1-', ['sk-or-v1-{0-9a-f:64}'], 'openrouter.ai API keys', { raw: true }),
  key('langfuse-key', 'sk-lf-[0-9a-f-]{36}', 'sk-lf-', ['sk-lf-{uuid}'], 'langfuse.com API keys'),
  key('sk-key', 'sk-[A-Za-z0-9]{32,64}', 'sk-', ['sk-{0-9a-f:32}', 'sk-{A-Za-z0-9:48}'], 'DeepSeek, Moonshot and other OpenAI-like providers'),
  key('groq-key', 'gsk_[A-Za-z0-9]{52}', 'gsk_', ['gsk_{A-Za-z0-9:52}'], 'console.groq.com', { raw: true }),
  key('xai-key', 'xai-[A-Za-z0-9]{80}', 'xai-', ['xai-{A-Za-z0-9:80}'], 'docs.x.ai API keys', { raw: true }),
  key('perplexity-key', 'pplx-[A-Za-z0-9]{48,56}', 'pplx-', ['pplx-{A-Za-z0-9:48}'], 'docs.perplexity.ai'),
  key('huggingface-token', '(?:hf_|api_org_)[A-Za-z]{34}', 'hf_ api_org_', ['hf_{A-Za-z:34}', 'api_org_{A-Za-z:34}'], 'huggingface.co security tokens', { raw: true }),
  key('replicate-token', 'r8_[A-Za-z0-9]{37}', 'r8_', ['r8_{A-Za-z0-9:37}'], 'replicate.com API tokens'),
  key('cerebras-key', 'csk-[a-z0-9]{48}', 'csk-', ['csk-{a-z0-9:48}'], 'inference-docs.cerebras.ai'),
  key('nvidia-key', 'nvapi-[A-Za-z0-9_-]{64}', 'nvapi-', ['nvapi-{A-Za-z0-9_-:64}'], 'docs.api.nvidia.com', { raw: true }),
  key('together-key', 'tgp_v1_[A-Za-z0-9_-]{43}', 'tgp_v1_', ['tgp_v1_{A-Za-z0-9_-:43}'], 'docs.together.ai API keys'),
  key('langsmith-key', 'lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}', 'lsv2_', ['lsv2_pt_{0-9a-f:32}_{0-9a-f:10}'], 'docs.smith.langchain.com API keys'),
  key('tavily-key', 'tvly-(?:dev-|prod-)?[A-Za-z0-9-]{32,56}', 'tvly-', ['tvly-dev-{A-Za-z0-9:32}'], 'docs.tavily.com'),
  key('jina-key', 'jina_[0-9a-f]{32}[A-Za-z0-9_-]{28}', 'jina_', ['jina_{0-9a-f:32}{A-Za-z0-9_-:28}'], 'jina.ai API keys'),
  key('pinecone-key', 'pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,80}', 'pcsk_', ['pcsk_{A-Za-z0-9:6}_{A-Za-z0-9:63}'], 'docs.pinecone.io API keys'),
  key('elevenlabs-key', 'sk_[0-9a-f]{48}', 'sk_', ['sk_{0-9a-f:48}'], 'elevenlabs.io API keys'),
]
