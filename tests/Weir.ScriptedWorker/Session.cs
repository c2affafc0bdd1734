using System.Collections.Concurrent;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text;
using Weir.Protocol.Flow;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Protocol.SharedMemory;

namespace Weir.ScriptedWorker;

/// <summary>Serves the operations Test/Do and Test/Stream. Their only argument is raw and is the script of the call.</summary>
internal sealed partial class Session(string start) : IDisposable
{
    private readonly Channel _control = new(4, FrameRoute.ControlDown);
    private readonly ConcurrentDictionary<ulong, bool> _cancelled = new();
    private readonly Lock _gate = new();
    private readonly SharedMemory? _region = start is "region" or "reports" ? new SharedMemory() : null;

    // Set at the beginning of Run.
    private Channel _data = null!;

    // Under _gate; they belong to the one stream that runs.
    private ItemCredit _credit = new(0);

    public int Run()
    {
        _data = new Channel(3, FrameRoute.DataDown, _region);
        if (start.StartsWith("exit ", StringComparison.Ordinal))
        {
            Console.Error.WriteLine("leaving early");
            return int.Parse(start[5..]);
        }

        if (!_control.TryNext(out var hello) || hello.Type != FrameType.Hello)
        {
            return 90;
        }

        switch (start)
        {
            case "silent":
                Thread.Sleep(Timeout.Infinite);
                break;
            case "failed":
                _control.Send(static frames => new StartFailure("build services", "System.InvalidOperationException", "no source of truth", "at Somewhere").Write(frames));
                Leave(ByeReason.StartFailed);
                return 1;
            case "garbage":
                _control.SendBytes("HTTP/1.1 200 OK\r\n\r\nHello, I am not a worker at all."u8);
                Thread.Sleep(Timeout.Infinite);
                break;
            case "mute":
                // READY is sent when the host has certainly seen the end of the data channel.
                _data.EndSending();
                Thread.Sleep(200);
                break;
            case "dead":
                Environment.FailFast("dead on arrival");
                break;
        }

        _control.Send(frames => new ReadyPayload
        {
            ProcessId = Environment.ProcessId,
            Capabilities = start switch { "region" => Capabilities.SharedMemory, "reports" => Capabilities.SharedMemory | Capabilities.Progress, "shows stacks" or "shows no stack" => Capabilities.Stack, _ => Capabilities.None },
            Operations = start switch
            {
                "without stream" => [new("Test/Do", 0)],
                "other signature" => [new("Test/Stream", 7), new("Test/Do", 99)],
                _ => [new("Test/Stream", 7), new("test/do", 0), new("Other/Thing", 1)],
            },
        }.Write(frames));
        new Thread(ListenToControl) { IsBackground = true }.Start();
        while (_data.TryNext(out var frame))
        {
            var call = CallPayload.Read(frame.Memory);
            var script = "";
            var length = 0;
            foreach (var part in call.Parts)
            {
                script = Encoding.UTF8.GetString(part.Bytes.Span[..Math.Min(part.Bytes.Length, 200)]);
                length = part.Bytes.Length;
            }

            lock (_gate)
            {
                _credit = new ItemCredit(call.InitialCredit);
            }

            if (script == "die unstarted")
            {
                Die(9);
            }

            if (script.StartsWith("die unstarted ", StringComparison.Ordinal) && !File.Exists(script[14..]))
            {
                File.WriteAllText(script[14..], "");
                Die(9);
            }

            var id = frame.CallId;
            if (_region is not null)
            {
                // "keep" is run although it was withdrawn, but not as the first call of its worker: the second worker obeys.
                if (!_region.TryStart(id) && !(script.StartsWith("keep", StringComparison.Ordinal) && id > 1))
                {
                    continue;
                }
            }
            else if (!script.StartsWith("no started", StringComparison.Ordinal))
            {
                _data.Send(frames => frames.Append(FrameType.Started, id));
            }

            Serve(id, script.Split(' '), length, call.RemainingMilliseconds);
        }

        return 0;
    }

    public void Dispose()
    {
        _data.Dispose();
        _control.Dispose();
    }

    private void Serve(ulong id, string[] words, int length, long remaining)
    {
        switch (words[0])
        {
            case "pid":
                Answer(id, $"{Environment.ProcessId}");
                break;
            case "sleep":
                Thread.Sleep(int.Parse(words[1]));
                Answer(id, "slept");
                break;
            case "length":
                Answer(id, $"{length}");
                break;
            case "remaining":
                Answer(id, $"{remaining}");
                break;
            case "big":
                Answer(id, new string('x', int.Parse(words[1])));
                break;
            case "until":
                // Follows the cancel.
                while (!_cancelled.ContainsKey(id))
                {
                    Thread.Sleep(1);
                }

                _data.Send(frames => ErrorPayload.Write(frames, id, ErrorKind.Cancelled));
                break;
            case "forever":
                // With a path: the file says that the call has started.
                if (words.Length > 1)
                {
                    File.WriteAllText(words[1], "");
                }

                Thread.Sleep(Timeout.Infinite);
                break;
            case "await":
                // As long as a file exists.
                while (File.Exists(words[1]))
                {
                    Thread.Sleep(1);
                }

                Answer(id, "awaited");
                break;
            case "exit":
                Environment.Exit(int.Parse(words[1]));
                break;
            case "signal":
                Die(int.Parse(words[1]));
                break;
            case "segv":
                // In native code: the runtime ignores a SIGSEGV that another process sends.
                _ = Length(1);
                break;
            case "overflow":
                Recurse(0);
                break;
            case "throw":
                new Thread(static () => throw new InvalidOperationException("this exception is not caught")).Start();
                Thread.Sleep(Timeout.Infinite);
                break;
            case "fail":
                _data.Send(frames => ErrorPayload.WriteHandlerFailed(frames, id, "Some.Error", "it went wrong", "at Some.Place"));
                break;
            case "print":
                Console.WriteLine("printed on stdout");
                Console.Error.WriteLine("printed on stderr");
                _control.Send(frames => new LogPayload(3, 42, 0, "Named", "My.Category", "logged", "").Write(frames, id));
                Thread.Sleep(50);
                Answer(id, "printed");
                break;
            case "flood":
                Flood(int.Parse(words[1]));
                Answer(id, "flooded");
                break;
            case "progress":
                Report(words[1], id);
                break;
            case "grandchild":
                Answer(id, $"{Process.Start("sleep", "1000").Id}");
                break;
            case "half":
                // Exits in the middle of a frame.
                _data.SendBytes([100, 0, 0, 0, (byte)FrameType.Result, 0, 0, 0, .. BitConverter.GetBytes(id), 1, 2, 3]);
                Die(9);
                break;
            case "malformed":
                _data.SendBytes(Malformed(words[1], id));
                Thread.Sleep(Timeout.Infinite);
                break;
            case "close":
                _data.EndSending();
                Thread.Sleep(Timeout.Infinite);
                break;
            case "hold":
                // The result is finished, but is not sent before the next call.
                Add(id, string.Join(' ', words));
                FlushWhenAlone();
                break;
            case "cut":
                // The result is sent in part; its rest is unsent when the next call starts.
                Add(id, string.Join(' ', words));
                if (_region!.Send(int.Parse(words[1])))
                {
                    _data.Wake();
                }

                FlushWhenAlone();
                break;
            case "pretend":
                _region!.Scribble(SharedMemoryLayout.DownTaken, ulong.MaxValue);
                Answer(id, "pretend");

                // The next read from the ring would overwrite the false value with the true one.
                Thread.Sleep(Timeout.Infinite);
                break;
            case "pin":
                _region!.Pin(id);
                Answer(id, "pinned");
                break;
            case "spoil":
                // The result is finished and not sent when the memory is overwritten.
                Add(id, "spoilt");
                Scribble(words[1]);
                Die(9);
                break;
            case "scribble":
                Scribble(words[1]);
                Die(9);
                break;
            case "resize":
                Answer(id, $"errno {SharedMemory.Resize(long.Parse(words[1]))}");
                break;
            case "items":
                Stream(id, int.Parse(words[1]), int.Parse(words[2]), words.Length > 3 ? words[3] : "end");
                break;
            default:
                Answer(id, string.Join(' ', words));
                break;
        }
    }

    private void Report(string how, ulong id)
    {
        var of = how switch { "unknown" => id + 1_000, "ended" => id - 1, _ => id };
        var fraction = how switch { "nan" => double.NaN, "negative" => -0.1, "above" => 1.1, "infinite" => double.PositiveInfinity, _ => 0.5 };
        var text = how switch { "long" => 801, "full" => 800, _ => 4 };
        byte[] payload = [.. BitConverter.GetBytes(fraction), .. BitConverter.GetBytes(text), .. Enumerable.Repeat((byte)'x', how == "cut" ? text - 1 : text)];
        _control.SendBytes([.. BitConverter.GetBytes(payload.Length), (byte)FrameType.Progress, 0, 0, 0, .. BitConverter.GetBytes(of), .. payload]);

        // Says that the host has read it; a host that finds it wrong ends this process.
        _control.Send(frames => new ProgressPayload(0.75, "").Write(frames, id));
        while (how != "direct" && !_cancelled.ContainsKey(id))
        {
            Thread.Sleep(1);
        }

        Answer(id, "reported");
    }

    private void Scribble(string what)
    {
        switch (what)
        {
            case "committed":
                _region!.Scribble(SharedMemoryLayout.UpCommitted, 1 << 21);
                break;
            case "sent":
                _region!.Scribble(SharedMemoryLayout.UpSent, ulong.MaxValue);
                _data.Wake();
                Thread.Sleep(Timeout.Infinite);
                break;
            case "origin":
                _region!.Scribble(SharedMemoryLayout.UpOrigin, ulong.MaxValue);
                break;
            case "settle":
                _region!.Scribble(SharedMemoryLayout.Claim, ulong.MaxValue);
                break;
            case "withdrawn":
                _region!.AwaitWithdrawal();
                _region.Scribble(SharedMemoryLayout.Claim, ulong.MaxValue);
                break;
            case "buffer":
                _region!.Scribble(0xff);
                break;
            case "totals":
                _region!.Scribble(SharedMemoryLayout.Done, ulong.MaxValue);
                _region.Scribble(SharedMemoryLayout.Busy, 1);
                break;
        }
    }

    private void Stream(ulong id, int count, int size, string then)
    {
        for (var i = 0; i < count; i++)
        {
            var item = Encoding.UTF8.GetBytes($"\"{i}{new string('.', size)}\"");
            while (then != "overspend" && !TryTake(item.Length))
            {
                if (_cancelled.ContainsKey(id))
                {
                    _data.Send(frames => ErrorPayload.Write(frames, id, ErrorKind.Cancelled));
                    return;
                }

                Thread.Sleep(1);
            }

            _data.Send(frames =>
            {
                frames.Begin(FrameType.Item, id);
                frames.Write(item);
                frames.End();
            });
        }

        switch (then)
        {
            case "die":
                Die(9);
                break;
            case "fail":
                _data.Send(frames => ErrorPayload.WriteHandlerFailed(frames, id, "Some.Error", "after the items", null));
                break;
            case "hang":
                Thread.Sleep(Timeout.Infinite);
                break;
            default:
                _data.Send(frames => frames.Append(FrameType.Result, id, FrameFlags.NoValue));
                break;
        }
    }

    private bool TryTake(int length)
    {
        lock (_gate)
        {
            return _credit.TryTake(length);
        }
    }

    private void Answer(ulong id, string text)
    {
        if (_region is not null)
        {
            Add(id, text);
            Flush();
            return;
        }

        AnswerAtOnce(id, text);
    }

    // The control thread calls it too, while a call runs.
    private void Flush()
    {
        if (_region!.Send())
        {
            _data.Wake();
        }
    }

    // The next call did not arrive together with this one: a caller that waits for the answer first gets it.
    private void FlushWhenAlone() => new Thread(() =>
    {
        Thread.Sleep(500);
        Flush();
    })
    { IsBackground = true }.Start();

    private void Add(ulong id, string text)
    {
        _region!.Add(id, Encoding.UTF8.GetBytes(text));
    }

    private void AnswerAtOnce(ulong id, string text) => _data.Send(frames =>
    {
        frames.Begin(FrameType.Result, id, FrameFlags.Raw);
        frames.Write(Encoding.UTF8.GetBytes(text));
        frames.End();
    });

    private void ListenToControl()
    {
        while (_control.TryNext(out var frame))
        {
            Hear(frame);
        }

        // The host has exited.
        Environment.Exit(3);
    }

    private void Hear(in Frame frame)
    {
        switch (frame.Type)
        {
            case FrameType.Cancel:
                _cancelled[frame.CallId] = true;
                break;
            case FrameType.Credit:
                lock (_gate)
                {
                    _credit.Grant(CreditPayload.Read(frame.Payload).Bytes);
                }

                break;
            case FrameType.Ping:
                var stamp = PingPayload.Read(frame.Payload);
                if (_region is not null)
                {
                    Flush();
                }

                _control.Send(frames => stamp.Write(frames, FrameType.Pong));
                break;
            case FrameType.Stack when start == "shows stacks":
                var call = frame.CallId;
                _control.Send(frames =>
                {
                    frames.Begin(FrameType.Stack, call);
                    frames.Write(Encoding.UTF8.GetBytes($"  line 7 of call {call}, in schlafen() — «übel»"));
                    frames.End();
                });
                break;
            case FrameType.Stack:
                Console.WriteLine("asked for a stack");
                break;
            case FrameType.Drain when start != "ignores drain":
                var last = frame.CallId;
                _control.Send(frames => new ReturnedPayload(last).Write(frames, last + 1));
                Leave(ByeReason.Drained);
                Environment.Exit(0);
                break;
        }
    }

    private void Leave(ByeReason reason)
    {
        _data.EndSending();
        _control.Send(frames => new ByePayload(reason, "").Write(frames));
    }

    private static void Flood(int megabytes)
    {
        using var error = Console.OpenStandardError();
        var block = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat(new string('x', 63) + "\n", 1024)));
        for (var i = 0; i < megabytes * 16; i++)
        {
            error.Write(block);
        }
    }

    private static byte[] Malformed(string how, ulong id)
    {
        var header = new byte[FrameHeader.Size];
        new FrameHeader(FrameType.Result, FrameFlags.Raw, id, 0).Write(header);
        switch (how)
        {
            case "type":
                header[4] = 200;
                break;
            case "length":
                header[0] = header[1] = header[2] = header[3] = 0xff;
                break;
            case "reserved":
                header[6] = 1;
                break;
            case "id":
                header[8] += 1;
                break;
            case "twice":
                header[4] = (byte)FrameType.Started;
                header[5] = 0;
                break;
            case "route":
                header[4] = (byte)FrameType.Call;
                break;
            case "value":
                header[5] = (byte)FrameFlags.NoValue;
                break;
            case "credit":
                return [4, 0, 0, 0, (byte)FrameType.Credit, 0, 0, 0, .. BitConverter.GetBytes(id), 1, 0, 0, 0];
            case "item":
                header[4] = (byte)FrameType.Item;
                header[5] = 0;
                break;
        }

        return header;
    }

    private static int Recurse(int depth)
    {
        Span<byte> frame = stackalloc byte[1024];
        frame.Fill((byte)depth);
        return Recurse(depth + 1) + frame[depth & 1023];
    }

    private static void Die(int signal)
    {
        _ = Kill(Environment.ProcessId, signal);
        Thread.Sleep(Timeout.Infinite);
    }

    [LibraryImport("libc", EntryPoint = "strlen")]
    private static partial nuint Length(nint address);

    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Kill(int pid, int signal);
}
