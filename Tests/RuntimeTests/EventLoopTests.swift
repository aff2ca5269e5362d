import CSystem
import Glibc
import Runtime
import Testing

/// Reads a pipe's bytes and says when it saw the end.
private final class PipeReader: EventLoopHandler {
  let loop: EventLoop
  let descriptor: Int32
  let received: Lock<[UInt8]>
  let ended: TimedSignal
  private var flushPending = false
  private var gathered: [UInt8] = []

  init(loop: EventLoop, descriptor: Int32, received: Lock<[UInt8]>, ended: TimedSignal) {
    self.loop = loop
    self.descriptor = descriptor
    self.received = received
    self.ended = ended
  }

  func ready(_ events: EventLoop.Events) {
    var byte: UInt8 = 0
    if read(descriptor, &byte, 1) == 1 {
      gathered.append(byte)
      if !flushPending {
        flushPending = true
        loop.atTurnEnd(self)
      }
    } else {
      loop.remove(descriptor)
      close(descriptor)
      ended.raise()
    }
  }

  func turnEnded() {
    flushPending = false
    let bytes = gathered
    gathered = []
    received.withLock { $0 += bytes }
  }
}

@Suite struct EventLoopTests {
  @Test func aHandlerSeesBytesAndTheEnd() async throws {
    let loop = try EventLoop(name: "test-loop")
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let (readEnd, writeEnd) = (ends[0], ends[1])
    let received = Lock<[UInt8]>([])
    let ended = TimedSignal()
    loop.execute {
      let reader = PipeReader(loop: loop, descriptor: readEnd, received: received, ended: ended)
      try? loop.add(readEnd, for: .read, handler: reader)
    }
    #expect(write(writeEnd, [1, 2, 3] as [UInt8], 3) == 3)
    close(writeEnd)
    await ended.wait(seconds: 10)
    loop.shutdown()
    #expect(received.withLock { $0 } == [1, 2, 3])
  }

  @Test func timersRunInOrderAndCancelledOnesDoNot() async throws {
    let loop = try EventLoop(name: "test-loop")
    let ran = Lock<[Int]>([])
    let done = TimedSignal()
    loop.execute {
      loop.schedule(afterSeconds: 0.03) {
        ran.withLock { $0.append(3) }
        done.raise()
      }
      loop.schedule(afterSeconds: 0.01) { ran.withLock { $0.append(1) } }
      let cancelled = loop.schedule(afterSeconds: 0.02) { ran.withLock { $0.append(2) } }
      loop.cancel(cancelled)
    }
    await done.wait(seconds: 10)
    loop.shutdown()
    #expect(ran.withLock { $0 } == [1, 3])
  }

  @Test func aDescriptorThatCannotBeWaitedForIsAnError() throws {
    let loop = try EventLoop(name: "test-loop")
    let failure = Lock<SystemError?>(nil)
    loop.execute {
      let reader = PipeReader(loop: loop, descriptor: -1, received: Lock([]), ended: TimedSignal())
      do throws(SystemError) { try loop.add(-1, for: .read, handler: reader) } catch { failure.withLock { $0 = error } }
    }
    loop.shutdown()
    #expect(failure.withLock { $0 }?.code == EBADF)
  }
}
