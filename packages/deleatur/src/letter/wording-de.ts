// The letter in German. Wording only.
import type { Wording } from "./wording.ts";

export const GERMAN: Wording = {
  language: "de",
  locale: "de-DE",
  mark: "es werde getilgt",
  colon: ":",
  from: "Absender",
  dateLabel: "Datum",
  requestLabel: "Vorgang",
  receivedLabel: "Eingegangen am",
  dueLabel: "Zu beantworten bis",
  statusLabel: "Stand",

  asked: {
    person: "Sie haben uns gebeten, die Daten zu löschen, die wir über Sie gespeichert haben.",
    records: "Sie haben uns gebeten, bestimmte Datensätze zu löschen.",
  },
  erasure: ({ locations, target }) => ({
    title: target === "person" ? "Ihre Daten sind gelöscht" : "Die von Ihnen genannten Datensätze sind gelöscht",
    status: `Abgeschlossen: an den ${locations} verzeichneten Speicherorten wurde nichts mehr gefunden`,
    opening:
      target === "person"
        ? "Das ist geschehen, auch mit allem, was daraus abgeleitet war. Anschließend haben wir mit Mitteln, die vom Löschen unabhängig sind, nach Überresten gesucht. Es wurde nichts gefunden."
        : "Das ist geschehen, auch mit allem, was daraus abgeleitet war. Anschließend haben wir mit Mitteln, die vom Löschen unabhängig sind, nach Überresten gesucht. Es wurde nichts gefunden. Weitere Daten über Sie, soweit wir welche haben, waren nicht Teil dieses Vorgangs.",
    doneHeading: "Was gelöscht wurde",
  }),
  expiring: ({ locations, until }) => ({
    title: `Ihr Antrag ist am ${until} vollständig erfüllt`,
    status: `Noch nicht wirksam: letzte Kopie erlischt spätestens am ${until}`,
    opening: `Soweit unsere Möglichkeiten reichen, ist das geschehen; an den ${locations} verzeichneten Speicherorten wurde nichts mehr gefunden. Kopien, auf die niemand zugreifen kann, verfallen von selbst. Erst am genannten Tag ist die letzte davon erloschen.`,
    doneHeading: "Was in unserer Reichweite gelöscht wurde",
  }),
  tombstone: ({ open, all }) => ({
    title: "Ihr Antrag ist erst zum Teil erfüllt",
    status: `Teilweise erledigt: ${open} von ${all} Speicherorten ${open === 1 ? "ist" : "sind"} noch offen`,
    opening:
      "Was wir erreichen konnten, haben wir entfernt. Dieses Schreiben bestätigt nicht, dass alles davon weg ist: Die unter „Was nicht gezeigt werden konnte“ genannten Speicherorte sind noch offen, jeweils mit dem Grund.",
    doneHeading: "Was bisher geschehen ist",
  }),
  withheld: () => ({
    title: "Ihr Antrag ist noch nicht erfüllt",
    status: "Nicht bestätigt",
    opening:
      "Wir haben damit begonnen, können aber nicht belegen, dass es abgeschlossen ist. Dieses Schreiben bestätigt nicht, dass die Daten weg sind. Ihr Antrag bleibt offen; was noch fehlt, steht unter „Was nicht gezeigt werden konnte“.",
    doneHeading: "Was bisher geschehen ist",
  }),

  location: "Speicherort",
  erased: "Datensätze gelöscht",
  rewritten: "Datensätze neu geschrieben",
  open: "Noch offen",
  total: "Summe",
  scopeNote:
    "Aufgeführt ist jeder Speicherort unseres Verzeichnisses; ein Strich heißt, dass dort kein Datensatz zu diesem Vorgang lag.",
  rewrittenNote:
    "Datensätze, die auch Daten anderer Menschen enthielten, wurden nicht vernichtet, sondern so neu geschrieben, dass von Ihnen nichts mehr darin steht.",
  openNote: "„Noch offen“ zählt Datensätze, bei denen nicht gezeigt ist, dass sie weg sind.",

  keptHeading: "Was aufbewahrt wird, und warum",
  keptNote:
    "Folgendes dürfen oder müssen wir von Rechts wegen aufbewahren (Art. 17 Abs. 3 DSGVO). Zu anderen Zwecken wird es nicht verwendet.",
  keptUntil: (date) => `bis ${date}`,
  exemptNote:
    "Nicht Teil der Löschung ist Folgendes; aus dem jeweils genannten Grund enthält es keine Inhalte von Ihnen.",

  goneByHeading: "Kopien, die von selbst verfallen",
  goneByNote:
    "Auf diese Kopien lässt sich von außen nicht zugreifen. Sie verfallen spätestens zum genannten Zeitpunkt.",
  goneBy: (date) => `letzte Kopie erlischt spätestens am ${date}`,

  openHeading: "Was nicht gezeigt werden konnte",
  openIntro: "Bei Folgendem ist nicht gezeigt, dass nichts mehr von Ihnen übrig ist:",
  everywhere: "Der Vorgang als Ganzes",
  reasons: {
    "still-there": "nach dem Löschen wurden dort noch Daten von Ihnen gefunden.",
    "came-back": "bereits entfernte Daten wurden dort erneut gespeichert.",
    traces: "die Datensätze sind entfernt, Spuren davon stehen aber vorerst noch in den Dateien.",
    "door-open": "es ist nicht gezeigt, dass dieselben Daten nicht wieder gespeichert werden.",
    "origin-unknown":
      "bei einigen Datensätzen ist nicht festgehalten, woraus sie entstanden sind; Ihre Daten können eingeflossen sein.",
    likeness: "einige Datensätze ähneln Ihren; jemand von uns muss sie noch ansehen.",
    "not-seen": "wir konnten ihn nicht mit unabhängigen Mitteln prüfen.",
    undeclared: "er ist nicht ordnungsgemäß Teil unseres Verzeichnisses und konnte deshalb nicht mitgezählt werden.",
    identifier: "dort stehen Personen unter einer Art von Kennung, die wir von Ihnen nicht kennen.",
    "under-way": "ein früher begonnener Schreibvorgang ist noch nicht geklärt.",
    unreachable: "er war nicht erreichbar.",
    unsupported: "seine Technik erlaubt kein Löschen, das wir belegen könnten.",
    unbounded: "für Kopien dort gibt es keinen Zeitpunkt, zu dem sie sicher verfallen sind.",
    kept: "dort wird aus einem rechtlichen Grund etwas aufbewahrt (siehe oben, oder fragen Sie uns danach).",
    other: "die Nachweise sind nicht vollständig.",
  },
  deadline: (date) => `Wir kümmern uns darum bis zum ${date}.`,

  guardHeading: "Neue Einträge",
  guardNote: (entries) =>
    `Damit dieselben Daten nicht wieder gespeichert werden, ${entries === 1 ? "wurde ein Sperrvermerk" : `wurden ${entries} Sperrvermerke`} angelegt. Es sind mit einem Schlüssel gebildete Prüfwerte, aus denen niemand Ihre Daten lesen kann. Sie enden, wenn Sie uns bitten, wieder Daten über Sie zu speichern.`,

  limitsHeading: "Wonach nicht gesucht wurde",
  limits: [
    "Die Gewichte von KI-Modellen und die Sammlungen, mit denen sie trainiert wurden, sind nicht Teil dieses Vorgangs.",
    "Texte, die dasselbe mit anderen Worten sagen, und Erwähnungen Ihres Namens in den Worten anderer lassen sich nicht mit Sicherheit finden.",
    "„Gelöscht“ heißt, dass in unseren Dateien keine wiederherstellbare Spur bleibt. Unterhalb des Dateisystems, auf dem Datenträger selbst, können Spuren bleiben, bis sie überschrieben sind.",
  ],

  checkHeading: "So können Sie es prüfen",
  checkNote:
    "Zu diesem Schreiben gehört ein Beleg: eine signierte Datei, die jeder ohne uns und ohne Netz prüfen kann. Dazu brauchen Sie den Beleg, unser veröffentlichtes Verzeichnis, unseren öffentlichen Schlüssel und das Programm „deleatur“:",
  codeLabel: "Ihr Personencode",
  codeNote:
    "Dieser Code steht nur in diesem Schreiben. Er zeigt, dass der Beleg Sie betrifft. Behalten Sie ihn für sich: Wer ihn hat und Ihre Kennungen kennt, kann feststellen, dass Sie den Antrag gestellt haben.",
  identifiersNote:
    "IDENTIFIERS.txt ist eine Textdatei von Ihnen mit den Kennungen, unter denen wir Sie führten, eine je Zeile: die Art, ein Doppelpunkt und der Wert, zum Beispiel email:sie@example.org. Welche Arten wir verwenden, sagen wir Ihnen auf Anfrage.",
  noCodeNote:
    "Diese Ausfertigung enthält keinen Personencode: Der Beleg lässt sich auch so prüfen, nicht aber, dass er Sie betrifft.",

  rightsHeading: "Ihre Rechte",
  refusal:
    "Soweit wir nicht getan haben, worum Sie gebeten haben, nennen wir Ihnen hier die Gründe, wie es Art. 12 Abs. 4 DSGVO verlangt, und die Möglichkeiten, die Sie haben:",
  complaint:
    "Sie können sich bei einer Aufsichtsbehörde beschweren, insbesondere dort, wo Sie wohnen oder arbeiten oder wo Sie Ihre Rechte verletzt sehen (Art. 77 DSGVO).",
  remedy:
    "Ebenso können Sie vor Gericht gehen: an einem Ort, an dem wir eine Niederlassung haben, oder dort, wo Sie leben (Art. 79 DSGVO). Das eine schließt das andere nicht aus.",
  footer: "Dieses Schreiben wurde aus einem signierten Beleg erstellt. Weicht es von ihm ab, gilt der Beleg.",
};
