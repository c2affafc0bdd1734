using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Worker.Calls;
using Weir.Worker.Channels;

namespace Weir.Tests.Worker;

public sealed class CallProgressTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly Wires _wires = new();
    private readonly ControlOutput _output;
    private readonly CallProgress _progress;

    public CallProgressTests()
    {
        _output = new ControlOutput(_wires, static () => { });
        _progress = new CallProgress(_output, _time, 7);
    }

    public void Dispose()
    {
        _wires.IsFull = false;
        _output.Dispose();
    }

    [Fact]
    public void The_first_report_is_sent_at_once()
    {
        Report(0.5, "half");
        Assert.Equal([(7ul, new ProgressPayload(0.5, "half"))], _wires.Sent());
    }

    [Fact]
    public void Of_a_hundred_thousand_reports_ten_a_second_are_sent_and_the_last_one_is_among_them()
    {
        for (var i = 1; i <= 100_000; i++)
        {
            Report(i / 100_000.0);
            if (i % 50_000 == 0)
            {
                _time.Advance(CallProgress.Interval);
            }
        }

        Assert.Equal([0.00001, 0.5, 1], _wires.Sent().Select(static sent => sent.Progress.Fraction));
    }

    [Fact]
    public void A_report_after_a_pause_is_sent_at_once()
    {
        Report(0.1);
        _time.Advance(CallProgress.Interval);
        Report(0.2);
        Assert.Equal([0.1, 0.2], _wires.Sent().Select(static sent => sent.Progress.Fraction));
    }

    [Fact]
    public void The_report_that_waits_is_sent_when_its_call_ends_and_none_after_it()
    {
        Report(0.1);
        Report(0.2);
        _progress.End();
        Report(0.3);
        _time.Advance(TimeSpan.FromSeconds(10));
        Assert.Equal([0.1, 0.2], _wires.Sent().Select(static sent => sent.Progress.Fraction));
    }

    [Fact]
    public void While_the_host_reads_nothing_one_report_waits_and_it_is_the_latest()
    {
        _wires.IsFull = true;
        Fill();
        var waiting = _wires.Offered;
        for (var i = 0; i < 1_000; i++)
        {
            Report(i / 1_000.0);
            _time.Advance(CallProgress.Interval);
        }

        Assert.Equal(waiting, _wires.Offered);
        _wires.IsFull = false;
        _wires.WaitForAll(_output);
        _time.Advance(CallProgress.Interval);
        Assert.Equal([0.999], _wires.Sent().Select(static sent => sent.Progress.Fraction));
    }

    [Fact]
    public void A_call_that_ends_while_the_host_reads_nothing_drops_its_report()
    {
        _wires.IsFull = true;
        Fill();
        Report(0.1);
        _progress.End();
        _wires.IsFull = false;
        _wires.WaitForAll(_output);
        _time.Advance(TimeSpan.FromSeconds(10));
        Assert.Empty(_wires.Sent());
    }

    private void Report(double fraction, string? text = null) => _progress.Report(new JobProgress(fraction, text));

    // As much as may wait of a log, beside the first record, which a thread has taken that waits for the host.
    private void Fill()
    {
        Log();
        _wires.WaitForSender();
        for (var i = 0; i < 40; i++)
        {
            Log();
        }
    }

    private void Log() => _output.Log(new LogPayload(2, 0, 0, "", "App", new string('x', LogPayload.MostText), ""), 0);

    // Takes everything, or nothing until it is not full any more.
    private sealed class Wires : IChannel
    {
        private readonly object _lock = new();
        private readonly List<byte> _bytes = [];
        private bool _isFull;
        private bool _hasSender;

        /// <summary>How often a thread that does not wait tried to send.</summary>
        internal int Offered { get; private set; }

        internal bool IsFull
        {
            set
            {
                lock (_lock)
                {
                    _isFull = value;
                    Monitor.PulseAll(_lock);
                }
            }
        }

        public int Receive(Span<byte> buffer) => 0;

        public int TrySend(ReadOnlySpan<byte> bytes)
        {
            lock (_lock)
            {
                Offered++;
                if (_isFull)
                {
                    return 0;
                }

                _bytes.AddRange(bytes);
                return bytes.Length;
            }
        }

        public void Send(ReadOnlySpan<byte> bytes)
        {
            lock (_lock)
            {
                _hasSender = true;
                Monitor.PulseAll(_lock);
                while (_isFull)
                {
                    Monitor.Wait(_lock);
                }

                _bytes.AddRange(bytes);
                Monitor.PulseAll(_lock);
            }
        }

        public void EndSending()
        {
        }

        /// <summary>Waits until a thread sends and waits for the host.</summary>
        internal void WaitForSender()
        {
            lock (_lock)
            {
                while (!_hasSender)
                {
                    Assert.True(Monitor.Wait(_lock, MemoryPipe.Patience), "No thread sends.");
                }
            }
        }

        /// <summary>Everything that waited is sent: a frame that comes after it is, too.</summary>
        internal void WaitForAll(ControlOutput output)
        {
            output.Pong(1);
            lock (_lock)
            {
                while (!Frames().Exists(static frame => frame.Header.Type == FrameType.Pong))
                {
                    Assert.True(Monitor.Wait(_lock, MemoryPipe.Patience), "Nothing more is sent.");
                }
            }
        }

        internal List<(ulong CallId, ProgressPayload Progress)> Sent()
        {
            lock (_lock)
            {
                return [.. Frames().Where(static frame => frame.Header.Type == FrameType.Progress).Select(static frame => (frame.Header.CallId, ProgressPayload.Read(frame.Payload)))];
            }
        }

        private List<(FrameHeader Header, byte[] Payload)> Frames()
        {
            using var reader = new FrameReader(FrameRoute.ControlUp);
            reader.Append(_bytes.ToArray());
            var frames = new List<(FrameHeader, byte[])>();
            while (reader.TryRead(out var frame))
            {
                frames.Add((frame.Header, frame.Payload.ToArray()));
            }

            return frames;
        }
    }
}
