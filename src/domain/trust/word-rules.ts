/** Between two words there is a space, or what stands for one in an address. */
const gap = "(?:[ +]|%20)";
/** `~` stands for a gap. That a pattern is written over several lines, each indented by four, says nothing. */
export const worded = (patterns: readonly string[]): string[] =>
  patterns.map((pattern) => pattern.replace(/\n {4}|\n {2}$/g, "").replaceAll("~", gap));

const machine = "ai|llm|language model|assistant|chatbot|agent|claude|chatgpt|gpt|copilot|gemini";
const told = "instructions?|prompts?|directives?|guidelines|programming|safeguards";

/** An order to ignore what was said before, talk of the system prompt, a new role. */
export const overrideRules = worded([
  String.raw`
    \b(?:ignore|disregard|forget|override|bypass|dismiss|discard)(?:\b|%20)[^.?!\n]{0,24}(?:\b|
    %20)(?:previous|prior|earlier|above|preceding|existing|foregoing|original|initial|all|your|
    these|those|system|safety|other)(?:\b|%20)[^.?!\n]{0,16}(?:\b|%20)(?:${told})\b
  `,
  String.raw`
    \b(?:ignore|disregard|forget|override|bypass|do~not~follow|don't~follow|stop~following)
    ~(?:all~)?(?:of~)?(?:your|the~above|previous|prior|earlier|all~previous|any~previous)
    ~(?:\w{1,12}~)?(?:rules|policy|policies|restrictions|constraints|context|messages?|orders|
    training|filters)\b
  `,
  String.raw`
    \b(?:ignore|disregard|forget|discard)~(?:everything|anything|all|what(?:ever)?)
    ~(?:that~)?(?:(?:was|is|has~been|you~were|you~have~been|i)~)?(?:said|told|written|
    instructed|learned|above|before~this|prior~to|you~know)\b
  `,
  String.raw`
    \b(?:system|developer|hidden|initial)~(?:prompt|instructions?)\b|\byour~(?:prompt|
    instructions)~(?:is|are|were|have|say)\b
  `,
  String.raw`
    \byou~are~now~(?:an?~(?!member|subscriber|customer|vip|fan|part|verified|registered|premium|
    new)|the~(?!owner)|dan\b|my~|acting|operating|playing|unrestricted|free~(?:to|from|of)|
    called|named|known~as|no~longer|bound|required~to|authori[sz]ed~to|permitted~to|instructed|
    speaking~as|under~(?:new|my))
  `,
  String.raw`
    \b(?:new|updated|revised|override|urgent|real|actual|admin|priority)
    ~(?:system~)?(?:instructions?|directives?|orders?)(?: ?:|~(?:for|to)~(?:you|
    the~(?:${machine})|all~(?:${machine})))
  `,
  String.raw`
    \b(?:act|behave|respond|answer|pretend|roleplay)~(?:as~if|as~though|like|as)~(?:you~(?:are|
    were|have|had)|an?~(?:unrestricted|unfiltered|uncensored|different|evil|jailbroken)|dan\b)|
    \bpretend~(?:that~)?(?:to~be|you~are|you're)~an?~(?:${machine}|unrestricted|hacker|admin|
    root|system|terminal|different)
  `,
  String.raw`
    \b(?:from~now~on|from~this~point(?:~on| forward)?|starting~now|henceforth),?~(?:you|ignore|
    always|only|respond|answer|act|never|treat|your|every|obey|do~not)\b
  `,
  String.raw`
    \b(?:attention|note~to|notice~to|message~(?:to|for)|instructions?~(?:to|for)|important~for|
    dear|hey|hello),?~(?:the~|any~|all~|every~|whichever~)?(?:ai|llm|language~model|chatbot|
    claude|chatgpt|gpt|copilot|gemini|assistant)s?\b
  `,
  String.raw`
    \b(?:if~you~are|if~you're|as)~an?~(?:${machine})s?(?:~(?:agent|assistant|model)
    )?[^.?!\n]{0,40}\b(?:you~must|you~should|you~have~to|must|please|then|do~not|ignore|execute|
    run|call|send|reply|respond|say|stop)\b
  `,
  String.raw`
    \b(?:${machine})s?(?:~(?:agent|assistant|model)s?)?~(?:reading|processing|analy[sz]ing|
    summari[sz]ing|parsing|that~reads?|who~reads?|seeing|viewing)~(?:this|these|the)\b
  `,
  String.raw`
    \b(?:do~not|don't|never|without)~(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|
    alert(?:ing)?|notify(?:ing)?|warn(?:ing)?|ask(?:ing)?)[^.?!\n]{0,16}~(?:the~(?:user|human|
    operator|owner)|your~(?:user|human|operator|owner|principal|developers?))\b
  `,
  String.raw`
    \b(?:jailbreak|developer|god|dan|unrestricted|debug|admin|maintenance|root)
    ~mode~(?:is~)?(?:now~)?(?:enabled|activated|unlocked|engaged|active)\b|\b(?:enable|enter|
    activate|switch~to|engage)~(?:jailbreak|god|dan|unrestricted|uncensored)~mode\b
  `,
  String.raw`
    \b(?:previous|prior|earlier|above|original)~(?:${told})~(?:are|were|is|was|have|has|should|
    must|no~longer|do~not|can~be|expired?)\b
  `,
  String.raw`
    \b(?:stop|cease|abort|abandon|drop|pause|interrupt)~(?:the~|your~)?(?:current|previous|
    original|assigned|present)~(?:task|analysis|objective|mission|goal|request)\b|\b(?:stop|
    abandon|abort)~your~(?:task|analysis|objective|instructions)\b
  `,
  String.raw`
    \byour~(?:new|real|true|actual|only|sole|primary|updated)~(?:task|goal|objective|
    instructions?|mission|directive|priority)~(?:is|are)\b
  `,
  String.raw`
    \b(?:reveal|print|output|repeat|show|display|disclose|leak|recite|expose|tell~me|give~me)
    \b[^.?!\n]{0,24}\b(?:your|system|initial|hidden|original|above)~(?:system~)?(?:prompt|
    instructions?|guidelines|configuration)\b
  `,
  String.raw`
    \b(?:this|the~following|what~follows)~(?:\w{1,12}~)?(?:supersedes?|overrides?|replaces?|
    takes~precedence~over)[^.?!\n]{0,24}\b(?:instructions?|prompts?|rules|guidelines|
    directives?|policies)\b
  `,
]);

/** Marks of a chat between roles, or a line that begins with a role name. */
export const roleRules = worded([
  String.raw`
    <\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|eom_id|start_header_id|
    end_header_id|begin_of_text|end_of_text|channel|message|start|end)\|?>
  `,
  String.raw`\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>|\[/?system\]|\[/?assistant\]`,
  String.raw`
    (?<![a-z0-9_>])</?(?:system|assistant|system[-_ ]reminder|system[-_ ]prompt|system[-_ ]
    message|tool_call|tool_use|tool_result|function_calls?|function_results?|instructions?|
    user_query|user_message|human_turn)(?: [^<>\n]{0,80})?>
  `,
  String.raw`\n[>#*-]{0,4} ?(?:system|assistant|user|human|developer|ai|tool)[*_]{0,2} ?:`,
  String.raw`
    ^[>#*-]{0,4} ?(?:system|assistant|developer|user|human|ai)[*_]{0,2} ?: ?(?:you|ignore|
    disregard|the~user|please|i~(?:will|have|am|must)|sure|override|from~now|act~as|your|always|
    never|reveal|print|send|forget|execute|run|output|respond|call|delete|okay|understood|new~)
    \b
  `,
  `#{2,4} ?(?:system|instructions?|response|assistant|human|user|input) ?:`,
  String.raw`
    \b(?:human|user) ?: [^\n]{0,160}\bassistant ?:|\bassistant ?: [^\n]{0,160}\b(?:human|user)
     ?:
  `,
  `["']role["'] ?: ?["'](?:system|assistant|user|developer|tool|function)["']`,
]);

const installer =
  "npm (?:install|i|exec)|pnpm (?:add|install|dlx)|yarn (?:add|dlx)|pip3? install|pipx (?:install|run)|gem install|" +
  "cargo install|brew install|apt(?:-get)? (?:-y )?install|uv (?:pip install|tool install|add)|uvx|npx|bunx|" +
  "go install|bun (?:add|x)|python3? -m pip install|dotnet tool install|winget install|choco install";

/** Orders to run something. */
export const commandRules = worded([
  String.raw`
    \b(?:curl|wget|iwr|invoke-webrequest|irm|fetch)\b[^|\n]{0,160}\| ?(?:sudo )?(?:/bin/|
    /usr/bin/env )?(?:(?:ba|z|k|da)?sh|python3?|node|perl|ruby|php|iex|powershell|pwsh)\b
  `,
  String.raw`
    \b(?:ba|z)?sh ?<\( ?(?:curl|wget)\b|\b(?:ba)?sh -c ["'$]|\biex ?\(|\bpython3? -c ["']|
    \bnode -e ["']
  `,
  String.raw`
    \brm -(?:rf|fr|r -f|f -r)\b|\brm --recursive\b|\bdel /[fsq]\b|\bmkfs\.|\bdd if=/dev/|
    \bformat c:
  `,
  String.raw`
    (?:[\x60$;&|"'>] ?|\b(?:run|execute|do|please|then|first|must|and|type|use|sudo|enter|to|
    running|try|just|now|:)[ :,]{1,2}["'\x60]?)(?:${installer})
     (?:-{1,2}[a-z-]{1,16} )?[@a-z0-9]
  `,
  `
    ^(?:sudo )?(?:${installer}) (?:-{1,2}[a-z-]{1,16} )?(?:@[a-z0-9-]{1,40}/|
    [a-z0-9]{1,30}[-@=./])[a-z0-9@=./-]{1,60}$
  `,
  String.raw`
    \b(?:please|must|now|immediately|then|you~should|first,?|instead,?|you~need~to|and|
    to~(?:continue|proceed|verify|fix~this)[^.\n]{0,16})~?(?:run|execute|launch|invoke|paste)
    \b[^.?!\n]{0,40}(?:command|script|shell|bash|terminal|sudo|curl|wget|powershell|python|node|
    payload|\.sh\b|\.ps1\b|\.py\b|\.exe\b)
  `,
  String.raw`
    ^["'(\[]{0,2}(?:run|execute|invoke)~(?:this|these|the~(?:following|below|attached|next)|
    ["'\x60$])[^.?!\n]{0,30}(?:command|script|code|shell|binary|payload|sudo|curl|wget|bash)
  `,
  String.raw`
    [.!:;\n] ?(?:run|execute|invoke)~(?:this|these|the~(?:following|below|attached|next)|
    ["'\x60$]|sudo|curl|wget|bash|sh\b|rm\b|python)
  `,
  String.raw`
    \b(?:open|launch|start)~(?:a~|the~|your~)?(?:terminal|shell|powershell|command~prompt|
    command~line)~(?:and|then)\b
  `,
  String.raw`
    \$\((?:curl|wget|cat|whoami|id|env|printenv|bash|sh|nc|ls|uname)\b|[\x60;&|] ?(?:curl|wget|
    nc|bash|sh) -|[;&|] ?(?:cat|nc|curl|wget) [^\n]{0,40}(?:/etc/|https?:)
  `,
  String.raw`
    /dev/tcp/|\bnc -[a-z]{0,3}e|\bbase64 (?:-d|--decode)\b|\bchmod (?:\+x|777) [./\x7ea-z]|
    \bpowershell(?:\.exe)? -(?:e|enc|encodedcommand|ep|executionpolicy|nop|noprofile|w|command|
    c)\b|\bcmd(?:\.exe)? /c\b
  `,
  String.raw`
    \b(?:os\.system|subprocess\.(?:run|call|popen)|child_process|shell_exec|system)\(["']|
    \beval\((?:atob|base64)
  `,
  String.raw`
    \b(?:call|invoke|use|trigger|execute)~(?:the~)?["'\x60]?(?:delete|create|update|set|send|
    write|remove|drop|reset|transfer|revoke|grant|share|get|list|read|run|execute)
    _[a-z_]{2,40}["'\x60]?(?:~(?:tool|function)|~with|~and|\()
  `,
  String.raw`
    \b(?:call|invoke|use|trigger)~(?:the~|your~)[a-z -]{2,24}~tool~(?:to|with|and)~(?:delete|
    send|create|remove|transfer|write|drop|upload|fetch|run|execute|change|update)\b
  `,
  String.raw`
    \b(?:you~must|please|immediately|now|then|and|agent[:,]|assistant[:,])~(?:delete|drop|wipe|
    erase|remove|disable|transfer)~(?:all|every|the|this|your)~(?:\w{1,12}~)?(?:projects?|
    database|data|files|tables?|accounts?|records|users|repositor(?:y|ies)|backups?|funds)\b
  `,
]);

const secret =
  "api[ -]?keys?|api[ -]?tokens?|secrets(?! of| to| from| behind| for)|secret keys?|credentials|" +
  "access[ -]?tokens?|private keys?|ssh keys?|env(?:ironment)? (?:variables?|vars?|file)|" +
  "session[ -]?(?:tokens?|cookies?)|bearer tokens?|auth(?:entication)? tokens?|" +
  "passwords(?! securely| safely)|seed phrases?|recovery phrases?|login details|" +
  "(?:credit )?card numbers?|customer (?:emails|data|list)|user (?:emails|data)";
const sending =
  "send|e-?mail|post|upload|forward|transmit|exfiltrate|leak|dump|print|reveal|output|" +
  "disclose|repeat|echo|deliver|submit|paste|append|encode|return";

/** An order to send or print what is nobody else's. */
export const exfiltrateRules = worded([
  String.raw`
    \b(?:${sending})\b[^.?!\n]{0,24}\b(?:your|the|all|any|every|their|its|my|users?'?s?|stored|
    available|these|those)~(?:\w{1,14}~){0,1}(?:${secret})\b(?! (?:reset|manager|field|hint|
    strength))
  `,
  String.raw`
    \b(?:exfiltrate|leak|dump|transmit|upload|steal|harvest|collect and send)
    ~(?:\w{1,14}~)?(?:${secret}|cookies|tokens)\b
  `,
  String.raw`
    \b(?:print|send|cat|upload|output|dump|post|leak|e-?mail|reveal|contents?~of|exfiltrate|
    append|paste|return|include|encode|base64)~[^\n]{0,40}(?<![a-z0-9_])\.(?:env|
    aws/credentials|ssh/id_|npmrc|netrc|git-credentials)\b|
    \bcat~[\x7e/.a-z]{0,20}(?:/etc/passwd|/etc/shadow|\.ssh/|id_rsa|\.env\b)
  `,
  String.raw`
    \b(?:send|print|reveal|output|repeat|forward|e-?mail|post|upload|leak|exfiltrate|dump|
    transmit|disclose|summari[sz]e|encode|paste|append)\b[^.?!\n]{0,24}\b(?:this|the|our|your)
    ~(?:(?:full|entire|whole|complete|previous|above|current)~)?(?:conversation|chat~(?:history|
    log)|context~window|message~history|chat~transcript|session~history|dialogue)\b
  `,
  String.raw`
    \b(?:send|post|upload|forward|transmit|exfiltrate|leak|submit|deliver|report|e-?mail|append|
    encode)\b[^.?!\n]{0,60}(?:\bto~|\bat~|\binto~)(?:https?:|[a-z0-9.-]{3,40}@|attacker|evil|
    webhook|my~server|this~(?:url|address|endpoint|webhook)|the~(?:url|address|endpoint|webhook)
    ~(?:below|above|following|in))
  `,
  String.raw`
    https?://[^\s?]{1,120}\?[^\s{<\[$]{0,40}=(?:%7b|[{<\[]|\$\{?)(?:[a-z_ ]{0,20}\b)?(?:api_key|
    apikey|secret|secrets|token|data|conversation|history|prompt|password|summary|answer|
    context|env|key)s?(?:%7d|[}>\]])
  `,
  String.raw`
    \b(?:make|issue|perform|send)~an?~(?:http~)?(?:get|post|web|http)~?request~(?:to|with|
    containing)\b|\b(?:fetch|visit|open|navigate~to|browse~to|load|follow)~(?:this~(?:url|link|
    page)|the~(?:url|link)|https?://[^\s]{3,80})[^.?!\n]{0,30}~(?:and|then)~(?:follow|execute|
    run|do|obey|send|append|include|paste|download|report)\b
  `,
]);

/** Markup that a reader of Markdown or HTML would load or run. */
export const markupRules = worded([
  String.raw`!\[[^\]\n]{0,160}\]\( ?<?(?:https?:)?//|!\[[^\]\n]{0,160}\]\[[^\]\n]{0,40}\]`,
  String.raw`<script\b[^>\n]{0,120}\bsrc ?=|<script\b[^>\n]{0,80}>[^\n]{0,60}(?:[(=;]|</script)`,
  String.raw`
    <(?:iframe|object|embed|img|image|video|audio|source|link|base|form|frame|input|button|svg|
    a|meta|style)\b[^>\n]{0,120}\b(?:src|href|srcdoc|action|formaction|data|xlink:href|
    background|poster|http-equiv|content) ?= ?["']?(?:[a-z]{2,12}:|//|&#|refresh|\\)
  `,
  String.raw`<[a-z][^>\n]{0,120}[ /"']on[a-z]{3,20} ?=`,
  String.raw`
    \bjavascript:(?!\s)[^\s]{0,80}[(=%;]|\bvbscript:[a-z]|\bdata:text/html|
    \bdata:image/svg\+xml|\bdata:application/(?:javascript|xhtml)
  `,
  String.raw`
    <style\b[^>\n]{0,40}>[^\n]{0,80}(?:@import|url\()|<svg\b[^>\n]{0,80}>[^\n]{0,40}<(?:script|
    animate|set|foreignobject)
  `,
]);
