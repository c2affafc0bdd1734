using System.Runtime.InteropServices;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Protocol.SharedMemory;
using Weir.Runtime;
using Weir.Worker.Calls;
using Weir.Worker.Channels;
using Weir.Worker.Log;
using Weir.Worker.Platform;
using Weir.Worker.Start;

namespace Weir.Worker.Session;

/// <summary>
/// Runs one artificial call, from its CALL to its RESULT, through all code of a call except the channel: what a process uses for
/// the first time must be found, checked and often compiled, and the first caller would wait for that. No user code runs.
/// </summary>
internal static unsafe class JitWarmUp
{
    private const byte NoLog = 6;

    /// <summary>Calls an operation that takes bytes and gives empty text.</summary>
    /// <returns>The number of bytes of its response.</returns>
    public static int Run()
    {
        int answered;

        // 1. Shared memory, an operation and a call like real ones.
        var region = (nint)NativeMemory.AllocZeroed(SharedMemoryLayout.Size);
        var host = SharedMemoryAccess.OpenHost(region);
        host.Format();
        using (var call = new FrameWriter())
        {
            // A span over one variable: over an array three methods would be compiled for it, and here it is one.
            var argument = new BinaryArgument(0, new byte[1]);
            CallWriter.WriteShort(call, 1, new CallFields(0), default, new ReadOnlySpan<BinaryArgument>(in argument));
            call.TryPeek(out var bytes);
            host.Send(bytes.Span, out _);
        }

        var stage = new Stage();
        var channel = new WorkerRingChannel(stage);
        var output = new DataOutput(channel, TimeProvider.System);
        using (var control = new ControlOutput(stage, static () => { }))
        using (var input = new FrameSource(channel, FrameRoute.DataDown))
        {
            output.Open(region);
            var calls = new CallTable(TimeProvider.System);
            calls.UseSharedMemory(region);
            var environment = new CallServices(output, calls, new FatalExit(output, stage), TimeProvider.System, new WorkerLoggers(control, NoLog), hasLoggers: false);

            // 2. What the data thread does for it.
            new DataLoop(input, WorkerTable.Of(new ServiceCatalog[] { new WarmUpCatalog() }, WarmUpCatalog.Pool), environment, Capabilities.SharedMemory).Run();
            answered = host.Take(new byte[64], out _);
        }

        // 3. Free the memory.
        NativeMemory.Free((void*)region);
        return answered;
    }

    // A channel that has ended: a receive returns at once, and sent bytes are dropped.
    private sealed class Stage : IChannel, IProcessExit
    {
        public int Receive(Span<byte> buffer) => 0;

        public void Send(ReadOnlySpan<byte> bytes)
        {
        }

        public int TrySend(ReadOnlySpan<byte> bytes) => bytes.Length;

        public void EndSending()
        {
        }

        public void Exit(int code)
        {
        }

        public void Abort(int code)
        {
        }
    }

    // What the generator would write for: string Nothing(ReadOnlyMemory<byte> data) => "";
    private sealed class WarmUpCatalog : ServiceCatalog
    {
        public const string Pool = "warm-up";

        public override string AssemblyName => "";

        public override Guid Identity => default;

        public override IReadOnlyList<Proxy> Proxies => [];

        public override IReadOnlyList<Service> Services { get; } = new Service[]
        {
            new()
            {
                Name = "JitWarmUp",
                TypeName = "JitWarmUp",
                CreateInstance = static _ => "",
                Operations = new Operation[]
                {
                    new()
                    {
                        Name = "Nothing",
                        Verbs = Verbs.Post,
                        Placement = Placement.Isolated,
                        Pool = Pool,
                        ResultKind = ResultKind.Text,
                        IsSynchronous = true,
                        IgnoresCancellation = true,
                        Parameters = new Parameter[] { new("data", "data", ParameterSource.Raw, false) },
                        Signature = 0,
                        CreateCall = static operation => new NothingCall(operation),
                    },
                },
            },
        };
    }

    private sealed class NothingCall(Operation operation) : Call<string>(operation)
    {
        private ReadOnlyMemory<byte> _data;

        public override void Bind(ArgumentReader reader)
        {
            var seen = 0UL;
            while (reader.MoveNext())
            {
                if (reader.Is("data") && reader.Begin(ref seen, 0, "data"))
                {
                    _data = reader.ReadBytes();
                    reader.End(ref seen, 0, optional: false);
                }
            }
        }

        public override void WriteArguments(ArgumentWriter writer) => writer.AddRaw(0, _data);

        public override ValueTask InvokeAsync(object service, CancellationToken cancellationToken)
        {
            Value = "";
            return default;
        }

        protected override void ClearArguments() => _data = default;

        protected override void Encode(PayloadWriter output, string value, ResultEncoding encoding) => PayloadReader.WriteText(output, value, encoding);

        protected override string Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding) => PayloadReader.ReadText(payload, encoding)!;
    }
}
