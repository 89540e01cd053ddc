// The letter in French. Wording only; the space before high punctuation is a no-break space, written \u00a0.
import type { Wording } from "./wording.ts";

export const FRENCH: Wording = {
  language: "fr",
  locale: "fr-FR",
  mark: "à supprimer",
  colon: "\u00a0:",
  from: "Expéditeur",
  dateLabel: "Date",
  requestLabel: "Demande",
  receivedLabel: "Reçue le",
  dueLabel: "Réponse due le",
  statusLabel: "État",

  asked: {
    person: "Vous nous avez demandé d’effacer les données que nous détenons à votre sujet.",
    records: "Vous nous avez demandé d’effacer certains enregistrements.",
  },
  erasure: ({ locations, target }) => ({
    title: target === "person" ? "Vos données ont été effacées" : "Les enregistrements désignés ont été effacés",
    status: `Terminée\u00a0: plus rien n’a été trouvé dans les ${locations} emplacements déclarés`,
    opening:
      target === "person"
        ? "C’est chose faite, y compris pour tout ce qui en avait été tiré. Nous avons ensuite recherché ce qui aurait pu subsister, par des moyens indépendants de ceux qui ont servi à effacer. Rien n’a été trouvé."
        : "C’est chose faite, y compris pour tout ce qui en avait été tiré. Nous avons ensuite recherché ce qui aurait pu subsister, par des moyens indépendants de ceux qui ont servi à effacer. Rien n’a été trouvé. Les autres données que nous détiendrions à votre sujet n’étaient pas visées par cette demande.",
    doneHeading: "Ce qui a été effacé",
  }),
  expiring: ({ locations, until }) => ({
    title: `Votre demande sera pleinement satisfaite le ${until}`,
    status: `En attente\u00a0: dernière copie disparue au plus tard le ${until}`,
    opening: `Pour tout ce qui est à notre portée, c’est fait\u00a0: plus rien n’a été trouvé dans les ${locations} emplacements déclarés. Les copies que personne ne peut atteindre expirent d’elles-mêmes\u00a0; la dernière n’aura disparu qu’à la date indiquée.`,
    doneHeading: "Ce qui a été effacé à notre portée",
  }),
  tombstone: ({ open, all }) => ({
    title: "Votre demande n’est satisfaite qu’en partie",
    status: `Partielle\u00a0: ${open} emplacement${open > 1 ? "s" : ""} sur ${all} ${open > 1 ? "restent ouverts" : "reste ouvert"}`,
    opening:
      "Nous avons retiré ce que nous pouvions atteindre. Cette lettre ne confirme pas la disparition de l’ensemble\u00a0: les emplacements énumérés sous «\u00a0Ce qui n’a pas pu être établi\u00a0» restent ouverts, chacun avec son motif.",
    doneHeading: "Ce qui a été fait jusqu’ici",
  }),
  withheld: () => ({
    title: "Votre demande n’est pas encore satisfaite",
    status: "Non confirmée",
    opening:
      "Nous avons commencé, mais nous ne pouvons pas établir que c’est achevé. Cette lettre ne confirme pas la disparition de ces données. Votre demande reste ouverte\u00a0; ce qui manque figure sous «\u00a0Ce qui n’a pas pu être établi\u00a0».",
    doneHeading: "Ce qui a été fait jusqu’ici",
  }),

  location: "Emplacement",
  erased: "Enregistrements effacés",
  rewritten: "Enregistrements réécrits",
  open: "Encore ouverts",
  total: "Total",
  scopeNote:
    "Le tableau énumère tous les emplacements de notre inventaire\u00a0; un tiret signifie qu’aucun enregistrement visé par cette demande ne s’y trouvait.",
  rewrittenNote:
    "Les enregistrements qui contenaient aussi les données d’autres personnes n’ont pas été détruits\u00a0: ils ont été réécrits de sorte que rien de vous n’y subsiste.",
  openNote: "«\u00a0Encore ouverts\u00a0» compte les enregistrements dont la disparition n’est pas établie.",

  keptHeading: "Ce qui est conservé, et pourquoi",
  keptNote:
    "La loi nous permet ou nous impose de conserver ce qui suit (art. 17, § 3, du RGPD). Nous n’en faisons aucun autre usage.",
  keptUntil: (date) => `jusqu’au ${date}`,
  exemptNote:
    "Ce qui suit ne fait pas partie de l’effacement\u00a0; pour le motif indiqué, aucun contenu vous concernant ne s’y trouve.",

  goneByHeading: "Copies qui expirent d’elles-mêmes",
  goneByNote: "Ces copies ne sont pas accessibles de l’extérieur. Elles expirent au plus tard à la date indiquée.",
  goneBy: (date) => `dernière copie disparue au plus tard le ${date}`,

  openHeading: "Ce qui n’a pas pu être établi",
  openIntro: "Pour ce qui suit, il n’est pas établi que rien de vous ne subsiste\u00a0:",
  everywhere: "La demande dans son ensemble",
  reasons: {
    "still-there": "des données vous concernant y ont encore été trouvées après l’opération.",
    "came-back": "des données déjà retirées y ont été enregistrées de nouveau.",
    traces: "les enregistrements sont retirés, mais des traces demeurent pour l’instant dans les fichiers.",
    "door-open": "il n’est pas établi que les mêmes données ne puissent pas y être enregistrées de nouveau.",
    "origin-unknown":
      "l’origine de certains enregistrements n’a pas été consignée\u00a0; vos données ont pu servir à les produire.",
    likeness: "certains enregistrements ressemblent aux vôtres, et l’un de nous doit encore les examiner.",
    "not-seen": "nous n’avons pas pu le contrôler par des moyens indépendants.",
    undeclared: "il ne figure pas en bonne forme dans notre inventaire et n’a donc pas pu être pris en compte.",
    identifier: "les personnes y sont désignées par un type d’identifiant que nous ne connaissons pas de vous.",
    "under-way": "une écriture commencée auparavant n’est pas encore dénouée.",
    unreachable: "il n’a pas pu être atteint.",
    unsupported: "sa technique ne permet pas un effacement que nous puissions établir.",
    unbounded: "aucune date ne garantit que les copies qui s’y trouvent auront expiré.",
    kept: "des enregistrements y sont conservés pour un motif légal (voir ci-dessus, ou demandez-le-nous).",
    other: "les preuves sont incomplètes.",
  },
  deadline: (date) => `Nous y aurons remédié au plus tard le ${date}.`,

  guardHeading: "Nouvelles écritures",
  guardNote: (entries) =>
    `Pour que les mêmes données ne soient pas enregistrées de nouveau, ${entries > 1 ? `${entries} entrées «\u00a0ne pas conserver\u00a0» ont été créées` : "une entrée «\u00a0ne pas conserver\u00a0» a été créée"}. Ce sont des empreintes à clé\u00a0: personne ne peut y lire vos données. Elles prennent fin si vous nous demandez de conserver à nouveau des données à votre sujet.`,

  limitsHeading: "Ce qui n’a pas été recherché",
  limits: [
    "Les poids des modèles d’IA et les corpus qui ont servi à les entraîner ne font pas partie de cette demande.",
    "Les textes qui disent la même chose autrement, et les mentions de votre nom dans les propos d’autrui, ne peuvent pas être trouvés avec certitude.",
    "«\u00a0Effacé\u00a0» signifie qu’aucune trace récupérable ne subsiste dans nos fichiers. Au-dessous du système de fichiers, sur le support lui-même, des traces peuvent durer jusqu’à leur écrasement.",
  ],

  checkHeading: "Comment le vérifier",
  checkNote:
    "Un justificatif accompagne cette lettre\u00a0: un fichier signé que chacun peut vérifier sans nous et sans réseau. Il vous faut le justificatif, notre inventaire publié, notre clé publique et le programme «\u00a0deleatur\u00a0»\u00a0:",
  codeLabel: "Votre code personnel",
  codeNote:
    "Ce code ne figure que dans cette lettre. Il montre que le justificatif vous concerne. Gardez-le pour vous\u00a0: qui le détient et connaît vos identifiants peut savoir que vous avez fait cette demande.",
  identifiersNote:
    "IDENTIFIERS.txt est un fichier texte à créer par vous, avec les identifiants sous lesquels nous vous connaissions, un par ligne\u00a0: leur type, un deux-points et la valeur, par exemple email:vous@example.org. Demandez-nous quels types nous utilisons.",
  noCodeNote:
    "Cet exemplaire ne porte pas de code personnel\u00a0: le justificatif peut être vérifié sans lui, mais non qu’il vous concerne.",

  rightsHeading: "Vos droits",
  refusal:
    "Dans la mesure où nous n’avons pas donné suite à votre demande, nous vous en indiquons ici les motifs, comme l’exige l’art. 12, § 4, du RGPD, ainsi que les recours dont vous disposez\u00a0:",
  complaint:
    "Vous pouvez introduire une réclamation auprès d’une autorité de contrôle, notamment là où vous résidez, là où vous travaillez ou là où vos droits auraient été violés (art. 77 du RGPD).",
  remedy:
    "Vous pouvez aussi saisir la justice, là où nous disposons d’un établissement ou là où vous résidez (art. 79 du RGPD). L’un n’exclut pas l’autre.",
  footer:
    "Cette lettre a été établie à partir d’un justificatif signé. En cas de divergence, c’est le justificatif qui fait foi.",
};
