/**
 * Names of links, buttons and fields in the languages that most sites are written in. A word counts when no letter
 * stands beside it; scripts without spaces are found within a text.
 */
const spoken = (list: string, unspaced = ""): RegExp => {
  const spaced = `(?<![\\p{L}])(?:${list.replace(/\s*\n\s*/g, "")})(?![\\p{L}])`;
  return new RegExp(unspaced === "" ? spaced : `${spaced}|${unspaced}`, "iu");
};

export const words = {
  signUp: spoken(
    `sign ?up|signup|^register$|register (now|here|for free)|create (an |your |a free |a new )?account
    |get started( free| now)?|join (now|free|for free|today)
    |start (a |your |my )?(free )?trial|try( it)?( for)? free|start( for)? free|registrieren|konto erstellen
    |jetzt starten
    |kostenlos (testen|starten|registrieren)|s['’]inscrire|inscription|créer un compte|essai gratuit|regístrate
    |registrarse
    |crear (una )?cuenta|prueba gratis|registrati|iscriviti|crea (un )?account|cadastre-se|criar conta|registreren
    |account aanmaken|zarejestruj( się)?|załóż konto|зарегистрироваться|регистрация|kayıt ol`,
    "新規登録|会員登録|无料で始める|無料で始める|注册|註冊|회원가입",
  ),
  checkout: spoken(
    `checkout|check out|proceed to payment|zur kasse|kasse|passer (la )?commande|commander|finalizar compra|pagar
    |vai alla cassa|finalizar pedido|afrekenen|do kasy|оформить заказ`,
    "レジに進む|購入手続き|结算|結帳|결제하기",
  ),
  buy: spoken(
    `buy( now| it)?|order now|add to (cart|bag|basket)|purchase|jetzt kaufen|kaufen|in den warenkorb|acheter
    |ajouter au panier|comprar( ahora)?|añadir al carrito|acquista|aggiungi al carrello|adicionar ao carrinho|kopen
    |in winkelwagen|kup teraz|do koszyka|купить|в корзину|sepete ekle`,
    "カートに入れる|購入する|购买|加入购物车|加入購物車|구매하기|장바구니",
  ),
  cart: spoken(
    "cart|basket|shopping bag|warenkorb|panier|carrito|carrello|carrinho|winkelwagen|koszyk|корзина",
    "カート|购物车|購物車",
  ),
  pricing: spoken(
    `pricing|prices|plans|plans (&|and) pricing|preise|tarife|prix|tarifs|precios|planes|prezzi|preços|planos|prijzen
    |cennik|цены|тарифы`,
    "料金|価格|价格|價格|요금",
  ),
  lead: spoken(
    `(book|request|schedule|get) (a |your )?(free )?demo|contact( us| sales)?|talk to (us|sales|an expert)
    |get in touch
    |(get|request) a quote|demo (anfordern|buchen|vereinbaren)|kontakt|angebot anfordern|demander une démo
    |contact(ez-nous)?
    |demander un devis|solicitar (una )?demo|contacto|contáctanos|richiedi (una )?demo|contatti|contattaci
    |contato|fale conosco
    |offerte aanvragen|связаться|контакты`,
    "お問い合わせ|資料請求|联系我们|聯絡我們|문의하기",
  ),
  newsletter: spoken(
    `newsletter|subscribe|mailing list|get updates|abonnieren|s['’]abonner|infolettre|suscr[ií]b(ete|irse)
    |boletín|iscriviti
    |assin(e|ar)|inscreva-se|aanmelden|nieuwsbrief|zapisz się|подписаться|рассылка`,
    "メルマガ|購読|订阅|訂閱|구독",
  ),
  download: spoken(
    `download|install|get the app|herunterladen|installieren|télécharger|installer|descargar|instalar|scarica
    |installa|baixar
    |downloaden|pobierz|скачать|установить|indir`,
    "ダウンロード|インストール|下载|下載|다운로드",
  ),
  docs: spoken(
    `docs|documentation|quick ?start|getting started|get started guide|tutorials?|api reference|developer guide|guides
    |dokumentation|anleitung|handbuch|démarrage rapide|guía( de inicio)?|documentación|documentazione|guida
    |documentação
    |handleiding|dokumentacja|документация|руководство`,
    "ドキュメント|文档|文檔|문서",
  ),
  search: spoken(
    "search|suche|suchen|rechercher|recherche|buscar|cerca|pesquisar|zoeken|szukaj|поиск",
    "検索|搜索|搜尋|검색",
  ),
  logIn: spoken(
    `log ?in|sign ?in|anmelden|einloggen|connexion|se connecter|iniciar sesión|accedi|entrar|inloggen|zaloguj|войти
    |giriş yap`,
    "ログイン|登录|登入|로그인",
  ),
} as const;

/** Words in the paths of links, which are mostly English whatever the language of the site. */
const inPath = (list: string): RegExp => new RegExp(`/(?:${list})(?=$|/|\\.\\w+$)`, "i");

export const paths = {
  signUp: inPath(
    "sign-?up|register|registration|registrieren|join|create-account|free-trial|trial|inscription|registro",
  ),
  checkout: inPath("checkout|kasse|commande|finalizar-compra"),
  buy: inPath("buy|purchase|order"),
  cart: inPath("cart|basket|bag|warenkorb|panier|carrito|carrello"),
  pricing: inPath("pricing|prices|plans|preise|tarife|tarifs|precios|prezzi|precos|planos|cennik"),
  lead: inPath(
    "demo|book-a-demo|request-demo|contact|contact-us|contact-sales|kontakt|contacto|contatti|quote|toiawase|inquiry",
  ),
  newsletter: inPath("newsletter|subscribe"),
  download: inPath("downloads?|install|installation|get-the-app"),
  docs: inPath(
    "docs|documentation|guides|quick-?start|getting-started|tutorials?|api-reference|developers?|handbook",
  ),
} as const;
