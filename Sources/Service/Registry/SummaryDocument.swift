import Codecs

/// An installation as an operator sees it: what is registered and how old, never a token.
public enum SummaryDocument {
  public static func write(_ summary: InstallationSummary, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("installationId", summary.installation.id.text)
    summary.installation.writeStanding(to: &writer)
    writer.member("registeredAt", summary.registeredAt.rfc3339)
    writer.member("seenAt", summary.seenAt?.rfc3339)
    writer.endObject()
  }
}
