import type { TrustCategory } from "./rules";
import { worded } from "./word-rules";

/**
 * Words and signs without which no rule of a category holds: they are looked for first, in one go, as nearly all texts
 * have none. A rule that needs others must name them here, which a test finds out.
 */
const gates = {
  override: [
    "instruction|prompt|directive|guideline|programming|safeguard|ignore|disregard|forget|discard|overrid",
    "bypass|follow|supersede|replace|precedence|pretend|henceforth|configuration|attention|dear|hey|hello",
    "order|you~are~now|from~now~on|from~this~point|starting~now|if~you|note~to|notice~to|important~for",
    "message~|(?:if|though|like|as)~(?:you|an?~|dan)|~(?:user|human|operator|owner|principal|developer)",
    "(?:ing|s)~(?:this|these|the)|mode\\b|~(?:task|analysis|objective|mission|goal|request)",
    "your~(?:new|real|true|actual|only|sole|primary|updated)",
  ],
  role: [
    "<\\||inst\\]|sys>>|_of_turn>|system\\]|assistant\\]|</?[sathfiu][a-z]|\\n|##",
    "^[>#* -]{0,5}[a-z]{2,9}[*_ ]{0,3}:|assistant ?:|role[\"']",
  ],
  command: [
    "curl|wget|iwr|invoke-web|irm|fetch|bash|sh ?<|sh -|iex|rm -|del /|mkfs|dd if|format c:|install",
    "npm |pnpm |yarn |pipx |uvx?|npx|bunx?|run|execute|launch|invoke|paste|terminal|shell|powershell",
    "\\$\\(|[;&|] ?cat |dev/tcp|nc -|base64|chmod|cmd|os\\.system|subprocess|child_process|system\\(|eval",
    "python|node -|prompt|~[\"'\\x60]?[a-z]{3,8}_[a-z]|tool|delete|drop|wipe|erase|remove|disable|transfer|command",
  ],
  exfiltrate: [
    "key|token|secret|credential|password|phrase|login|card|environment|env|user|customer|cookie",
    "conversation|chat|context|message|session|dialogue|npmrc|netrc|aws/|ssh|passwd|shadow|id_rsa",
    "~https?:|=(?:%7b|[{<\\[$])|@|attacker|evil|webhook|server|~(?:url|address|endpoint|link|page)|request",
  ],
  markup: ["!\\[|<[a-z]|javascript:|vbscript:|data:"],
} as const;

/**
 * The gate of texts of letters, digits and the signs of `gaplessForm` alone, as ids, names and addresses are: they
 * have no gap between words, which nearly every rule wants. A test finds out which do not.
 */
export const gaplessGate = new RegExp(
  "(?:instruction|prompt|directive|guideline|programming|safeguard)|(?:run|execute|launch|invoke|paste)\\b|" +
    "^[*-]{0,4}(?:system|assistant|developer|user|human|ai)[*_]{0,2}:|mkfs\\.|/dev/tcp/|script:|data:",
);
export const gaplessForm = /^[\w./?=&:,;~@!*-]*$/;

/** The pattern is in UTF-16, where tags are behind one high surrogate; escapes of terminals are among the controls. */
const hiding = String.raw`[\u001b\u009b\u200b-\u200d\u202a-\u202e\u2060\u2066-\u2069\ufeff\udb40]`;

/** One of the signs that every rule of a category has: a class is looked for sooner than words. */
export const signs: Partial<Record<TrustCategory, RegExp>> = {
  role: /[<>[\]:#"'\n]/,
  markup: /[<>[\]:#"'!\n]/,
  hidden: new RegExp(hiding),
  mixed_script: /[\p{Script=Cyrillic}\p{Script=Greek}]/u,
};

export const gated = ["override", "role", "command", "exfiltrate", "markup"] as const;

export const gateOf = (category: (typeof gated)[number]): RegExp =>
  new RegExp(worded(gates[category]).join("|"));
