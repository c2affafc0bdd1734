using System.Security.Claims;
using System.Text;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Tests.Protocol;

/// <summary>One frame of every kind, with the bytes in <c>tests/vectors</c>.</summary>
internal static class Samples
{
    public static readonly IReadOnlyList<Sample> All =
    [
        new("call-empty", "CALL 1: operation 0, JSON wished, no credit, no deadline, no trace, no parts.",
            w => CallWriter.Begin(w, 1, new CallFields(0)).End()),
        new("call-full", "CALL 7: operation 258, raw wished, credit 65536, 1500 ms left, traceparent, tracestate k=v, a JSON part {\"n\":1}, raw part for parameter 1: 00 01 02.",
            w =>
            {
                var call = CallWriter.Begin(w, 7, new CallFields(258, ResultEncoding.Raw, 65536, 1500, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "k=v"));
                call.BeginPart(PartKind.Json);
                w.Write("{\"n\":1}"u8);
                call.EndPart();
                call.AddRaw(1, new byte[] { 0, 1, 2 });
                call.End();
            }),
        new("call-context", "CALL 8: operation 1, JSON wished, no credit, no deadline, no trace, a context (CALL CONTEXT): culture de-DE, UI culture en, baggage user=7, item tenant=a; a JSON part {}.",
            w =>
            {
                var call = CallWriter.Begin(w, 8, new CallFields(1, Context: new CallContext { Culture = "de-DE", UICulture = "en", Baggage = [new("user", "7")], Items = [new("tenant", "a")] }));
                call.BeginPart(PartKind.Json);
                w.Write("{}"u8);
                call.EndPart();
                call.End();
            }),
        new("call-caller", "CALL 9: operation 1, JSON wished, no credit, no deadline, no trace, a caller (CALLER): one identity, Bearer, nameType name, roleType role, claims name=ann and age=7 (valueType and issuer given); a JSON part {}.",
            w =>
            {
                var identity = new ClaimsIdentity([new("name", "ann"), new("age", "7", "http://www.w3.org/2001/XMLSchema#integer32", "https://issuer")], "Bearer", "name", "role");
                var call = CallWriter.Begin(w, 9, new CallFields(1, Caller: CallerPayload.Write(new ClaimsPrincipal(identity))));
                call.BeginPart(PartKind.Json);
                w.Write("{}"u8);
                call.EndPart();
                call.End();
            }),
        new("item-json", "ITEM of call 2: {\"a\":1}.", w => Value(w, FrameType.Item, 2, FrameFlags.None, "{\"a\":1}"u8)),
        new("item-raw", "ITEM of call 2, raw: ff 00.", w => Value(w, FrameType.Item, 2, FrameFlags.Raw, [0xff, 0])),
        new("item-head", "ITEM of call 2: {\"a\":1}, with status 206 and the header X-A: b.",
            w => Value(w, FrameType.Item, 2, FrameFlags.Head, [.. Head(206, new() { ["X-A"] = "b" }), .. "{\"a\":1}"u8])),
        new("item-content", "ITEM of call 2, raw: ff 00, with status 206 and the header Content-Length: 2.",
            w => Value(w, FrameType.Item, 2, FrameFlags.Raw | FrameFlags.Head, [.. Head(206, new() { ["Content-Length"] = "2" }), 0xff, 0])),
        new("item-file", "ITEM of call 3, down: the description of a file, its name a.tif, its media type image/tiff, 123 bytes long (CONTENT).",
            w => Value(w, FrameType.Item, 3, FrameFlags.None, """{"name":"scan","fileName":"a.tif","contentType":"image/tiff","length":123,"headers":{"Content-Type":"image/tiff"}}"""u8)),
        new("end", "END of the streamed request of call 3.", w => w.Append(FrameType.End, 3)),
        new("abort", "ABORT of the streamed request of call 3: the caller failed, \"gone\".", w => new AbortPayload(AbortReason.CallerFailed, "gone").Write(w, 3)),
        new("credit", "CREDIT for call 2: 65536 bytes.", w => new CreditPayload(65536).Write(w, 2)),
        new("started", "STARTED call 2.", w => w.Append(FrameType.Started, 2)),
        new("result-json", "RESULT of call 2: \"héllo\" as JSON.", w => Value(w, FrameType.Result, 2, FrameFlags.None, "\"héllo\""u8)),
        new("result-raw", "RESULT of call 2, raw: héllo.", w => Value(w, FrameType.Result, 2, FrameFlags.Raw, "héllo"u8)),
        new("result-none", "RESULT of call 2 without a value.", w => w.Append(FrameType.Result, 2, FrameFlags.NoValue)),
        new("result-head", "RESULT of call 2 without a value, with status 202.", w => Value(w, FrameType.Result, 2, FrameFlags.NoValue | FrameFlags.Head, Head(202, []))),
        new("error-failed", "ERROR of call 2: System.InvalidOperationException, \"no\", stack \"at A.B()\".",
            w => ErrorPayload.WriteHandlerFailed(w, 2, "System.InvalidOperationException", "no", "at A.B()")),
        new("error-status", "ERROR of call 2: status 409, content \"taken\", header Retry-After: 1.",
            w => ErrorPayload.WriteStatus(w, 2, new OperationStatusException(409, "taken", new Dictionary<string, string> { ["Retry-After"] = "1" }))),
        new("error-arguments", "ERROR of call 2: one fault, name days, source frame, reason invalid, expected \"a whole number\".",
            w => ErrorPayload.WriteBadArguments(w, 2, [new BindingError("days", "frame", BindingErrorReason.Invalid, "a whole number")])),
        new("error-cancelled", "ERROR of call 2: cancelled.", w => ErrorPayload.Write(w, 2, ErrorKind.Cancelled)),
        new("error-deadline", "ERROR of call 2: the deadline passed.", w => ErrorPayload.Write(w, 2, ErrorKind.DeadlineExceeded)),
        new("error-memory", "ERROR of call 2: out of memory.", w => ErrorPayload.Write(w, 2, ErrorKind.OutOfMemory)),
        new("error-too-large", "ERROR of call 2: a result of 70000000 bytes, 67108864 allowed.", w => ErrorPayload.WritePayloadTooLarge(w, 2, 70_000_000, 64 << 20)),
        new("hello", "HELLO: versions 1 to 2, capabilities REQUEST STREAMS and CONCURRENT, 64 MB payloads, level Warning, catalog c1, pool hashing, Key=secret, warm up, 4 calls at a time.",
            w => new HelloPayload
            {
                MinVersion = 1,
                MaxVersion = 2,
                Capabilities = Capabilities.RequestStreams | Capabilities.Concurrent,
                LeastLogLevel = 3,
                CatalogIdentity = "c1",
                Pool = "hashing",
                Configuration = [new("Key", "secret")],
                WarmUp = true,
                CallsAtATime = 4,
            }.Write(w)),
        new("hello-shared-data", "HELLO: version 1, capability SHARED DATA, pool hashing, one call at a time; shared data model (4096 bytes, generation 2, descriptor 6) and words (3 bytes, generation 1, /tmp/words).",
            w => new HelloPayload
            {
                MinVersion = 1,
                MaxVersion = 1,
                Capabilities = Capabilities.SharedData,
                Pool = "hashing",
                SharedData = [new("model", 4096, 2, ""), new("words", 3, 1, "/tmp/words")],
            }.Write(w)),
        new("ready", "READY: version 1, capability CONCURRENT, 64 MB payloads, pid 4711, catalog c1, operations Hasher/Hash (0123456789abcdef) and Hasher/Nothing (2).",
            w => new ReadyPayload
            {
                Version = 1,
                Capabilities = Capabilities.Concurrent,
                ProcessId = 4711,
                CatalogIdentity = "c1",
                Operations = [new("Hasher/Hash", 0x0123456789abcdef), new("Hasher/Nothing", 2)],
            }.Write(w)),
        new("ready-failed", "READY FAILED: phase \"create App.Hasher\", System.InvalidOperationException, \"no key\", no stack.",
            w => new StartFailure("create App.Hasher", "System.InvalidOperationException", "no key", "").Write(w)),
        new("cancel", "CANCEL call 2: the caller left.", w => new CancelPayload(CancelReason.Caller).Write(w, 2)),
        new("returned", "RETURNED calls 5 to 8.", w => new ReturnedPayload(8).Write(w, 5)),
        new("ping", "PING with stamp 1122334455667788.", w => new PingPayload(0x1122334455667788).Write(w, FrameType.Ping)),
        new("pong", "PONG with stamp 1122334455667788.", w => new PingPayload(0x1122334455667788).Write(w, FrameType.Pong)),
        new("space", "SPACE: there is space again for what the worker sends.", w => w.Append(FrameType.Space, 0)),
        new("drain", "DRAIN; the last call sent is 9.", w => w.Append(FrameType.Drain, 9)),
        new("log", "LOG in call 2: Warning, event 17 \"Slow\", 3 records dropped before, category App.Hasher, \"slow\", exception \"System.Exception: x\".",
            w => new LogPayload(3, 17, 3, "Slow", "App.Hasher", "slow", "System.Exception: x").Write(w, 2)),
        new("log-details", "LOG in call 2: Error, event 1, category App.Hasher, \"took 5\", template \"took {Ms}\", value Ms 5 (integer), scope \"order 7\" with Order \"7\" (text), trace 0af7651916cd43dd8448eb211c80319c, span b7ad6b7169203331.",
            w => (new LogPayload(4, 1, 0, "", "App.Hasher", "took 5", "") with
            {
                Details = new LogDetails
                {
                    Template = "took {Ms}",
                    Values = [new("Ms", LogValueKind.Integer, "5")],
                    Scopes = [new("order 7", [new("Order", LogValueKind.Text, "7")])],
                    TraceId = "0af7651916cd43dd8448eb211c80319c",
                    SpanId = "b7ad6b7169203331",
                },
            }).Write(w, 2)),
        new("progress", "PROGRESS of call 2: 0.25, \"page 1 of 4\".", w => new ProgressPayload(0.25, "page 1 of 4").Write(w, 2)),
        new("stack-asked", "STACK down: where is call 2?", w => w.Append(FrameType.Stack, 2)),
        new("stack", "STACK up, of call 2: \"at a()\\nat b()\".", w => Value(w, FrameType.Stack, 2, FrameFlags.None, "at a()\nat b()"u8.ToArray())),
        new("bye", "BYE: drained.", w => new ByePayload(ByeReason.Drained, "").Write(w)),
    ];

    public static Sample Named(string name) => All.Single(s => s.Name == name);

    private static byte[] Head(int status, Dictionary<string, string> headers)
    {
        using var output = new PayloadWriter();
        ResponseHead.Write(output, status, headers);
        return output.WrittenSpan.ToArray();
    }

    private static void Value(FrameWriter writer, FrameType type, ulong callId, FrameFlags flags, ReadOnlySpan<byte> bytes)
    {
        writer.Begin(type, callId, flags);
        writer.Write(bytes);
        writer.End();
    }

    internal sealed record Sample(string Name, string Says, Action<FrameWriter> Write)
    {
        public byte[] Bytes() => Wire.Bytes(Write);

        /// <summary>The vector file: what it is, then sixteen bytes a line.</summary>
        public string File()
        {
            var text = new StringBuilder().Append("# ").Append(Says).Append('\n');
            foreach (var line in Bytes().Chunk(16))
                text.Append(string.Join(' ', line.Select(b => b.ToString("x2")))).Append('\n');
            return text.ToString();
        }
    }
}
