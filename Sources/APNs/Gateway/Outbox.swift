import Service

/// Answers of one turn, gathered for each of those who wait for them.
struct Outbox {
  private var batches: [(sink: any PushAnswerSink, answers: [PushAnswer])] = []

  mutating func add(_ answer: PushAnswer, to sink: any PushAnswerSink) {
    if let index = batches.firstIndex(where: { $0.sink === sink }) {
      batches[index].answers.append(answer)
    } else {
      batches.append((sink, [answer]))
    }
  }

  mutating func takeAll() -> [(sink: any PushAnswerSink, answers: [PushAnswer])] {
    defer { batches = [] }
    return batches
  }
}
