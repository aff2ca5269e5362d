import Glibc
import Playground
import Runtime

extension Command {
  static let demo = Command(
    name: "demo", usage: DemoOptions.usage,
    summary: "runs the whole line on embedded parts and reports what the phones saw"
  ) { arguments in
    do throws(DemoOptions.WrongUse) {
      return await runDemo(try DemoOptions(arguments: arguments))
    } catch {
      Terminal.error("\(error)")
      return ExitStatus.wrongUse
    }
  }

  /// Ctrl-C cancels the run, which takes its parts down; a second one ends at once, and the parts die with it.
  private static func runDemo(_ options: DemoOptions) async -> Int32 {
    let run = Task<Int32, Never> {
      do {
        let demo = try Demo(options: options, program: ChildProcess.thisProgram)
        var status = ExitStatus.failed
        try await demo.run { report in
          Terminal.print(report.text)
          Terminal.print(String(decoding: report.line, as: UTF8.self))
          status = report.failures.isEmpty ? ExitStatus.done : ExitStatus.failed
        }
        return status
      } catch is CancellationError {
        Terminal.error("interrupted; everything is taken down")
        return ExitStatus.failed
      } catch {
        Terminal.error("doorstep demo: \(error)")
        return ExitStatus.failed
      }
    }
    let seen = Lock(0)
    try? ProcessSignals.watch([.interrupt, .terminate, .hangUp]) { _ in
      let count = seen.withLock { count in
        count += 1
        return count
      }
      if count == 1 { run.cancel() } else { exit(ExitStatus.failed) }
    }
    return await run.value
  }
}
