using FsCheck;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;
using Weir.Tests.Protocol;

namespace Weir.Tests.Properties;

/// <summary>Every payload is read as it was written, whatever it contains.</summary>
public sealed class PayloadLawTests
{
    private const int Values = 1_000;

    // A description may have a megabyte.
    private const int MostEntries = 20;

    [Fact]
    public void Texts_are_of_every_kind()
    {
        var seen = new Dictionary<string, int>();
        Law.Holds<AnyText>(
            text =>
            {
                See("short", text.Value.Length < 10);
                See("pair", text.Value.Contains("\ud83d\ude00", StringComparison.Ordinal));
                See("half", text.Arrived().Contains('\ufffd', StringComparison.Ordinal));
                See("cut", text.Value.Length > ErrorPayload.MostName);
                See("cut in a pair", text.Value.Length > ErrorPayload.MostName && text.Value.IndexOf("\ud83d\ude00", ErrorPayload.MostName - 1, StringComparison.Ordinal) == ErrorPayload.MostName - 1);
            },
            Values);
        Assert.All((string[])["short", "pair", "half", "cut", "cut in a pair"], kind => Assert.True(seen[kind] > 0, string.Join(", ", seen)));

        void See(string kind, bool isSo) => seen[kind] = seen.GetValueOrDefault(kind) + (isSo ? 1 : 0);
    }

    [Fact]
    public void Any_HELLO() => Law.Holds<(bool WarmUp, ushort Version, DoNotSize<uint> Capabilities, NonNegativeInt Most, byte Level, AnyText[] Texts, DoNotSize<ushort> Calls)>(
        static one =>
        {
            var texts = Few(one.Texts);
            var hello = HelloPayload.Read(Wire.Payload(new HelloPayload
            {
                MinVersion = one.Version / 2,
                MaxVersion = one.Version,
                Capabilities = (Capabilities)one.Capabilities.Item,
                MostPayload = one.Most.Item,
                LeastLogLevel = (byte)(one.Level % 7),
                CatalogIdentity = Of(texts, 0).Value,
                Pool = Of(texts, 1).Value,
                Configuration = [.. texts.Select(text => KeyValuePair.Create(text.Value, Of(texts, 0).Value))],
                WarmUp = one.WarmUp,
                CallsAtATime = Math.Max(1, (int)one.Calls.Item),
            }.Write));
            Assert.Equal(
                (one.Version / 2, one.Version, (Capabilities)one.Capabilities.Item, one.Most.Item, (byte)(one.Level % 7), one.WarmUp, Math.Max(1, (int)one.Calls.Item)),
                (hello.MinVersion, hello.MaxVersion, hello.Capabilities, hello.MostPayload, hello.LeastLogLevel, hello.WarmUp, hello.CallsAtATime));
            Assert.Equal((Of(texts, 0).Arrived(), Of(texts, 1).Arrived()), (hello.CatalogIdentity, hello.Pool));
            Assert.Equal(texts.Select(text => KeyValuePair.Create(text.Arrived(), Of(texts, 0).Arrived())), hello.Configuration);
        },
        Values);

    [Fact]
    public void Any_READY() => Law.Holds<(ushort Version, DoNotSize<uint> Capabilities, NonNegativeInt Most, DoNotSize<int> ProcessId, AnyText Identity, (AnyText Name, DoNotSize<ulong> Hash)[] Operations)>(
        static one =>
        {
            var ready = ReadyPayload.Read(Wire.Payload(new ReadyPayload
            {
                Version = one.Version,
                Capabilities = (Capabilities)one.Capabilities.Item,
                MostPayload = one.Most.Item,
                ProcessId = one.ProcessId.Item,
                CatalogIdentity = one.Identity.Value,
                Operations = [.. one.Operations.Take(MostEntries).Select(static entry => new OperationEntry(entry.Name.Value, entry.Hash.Item))],
            }.Write));
            Assert.Equal(
                (one.Version, (Capabilities)one.Capabilities.Item, one.Most.Item, one.ProcessId.Item, one.Identity.Arrived()),
                (ready.Version, ready.Capabilities, ready.MostPayload, ready.ProcessId, ready.CatalogIdentity));
            Assert.Equal(one.Operations.Take(MostEntries).Select(static entry => new OperationEntry(entry.Name.Arrived(), entry.Hash.Item)), ready.Operations);
        },
        Values);

    [Fact]
    public void Any_READY_that_failed() => Law.Holds<(AnyText Phase, AnyText Type, AnyText Message, AnyText Stack)>(
        static one => Assert.Equal(
            new StartFailure(one.Phase.Arrived(ErrorPayload.MostName), one.Type.Arrived(ErrorPayload.MostName), one.Message.Arrived(ErrorPayload.MostMessage), one.Stack.Arrived(ErrorPayload.MostStack)),
            StartFailure.Read(Wire.Payload(new StartFailure(one.Phase.Value, one.Type.Value, one.Message.Value, one.Stack.Value).Write))),
        Values);

    [Fact]
    public void Any_CALL() => Law.Holds<(DoNotSize<ushort> Operation, bool IsRaw, DoNotSize<uint> Credit, DoNotSize<long> Remaining, AnyText Parent, AnyText State, byte[]? Values, (DoNotSize<ushort> Parameter, byte[] Bytes)[] Raw)>(
        static one =>
        {
            // A trace is ASCII, and at most as long as its length fields allow.
            var (parent, state) = (one.Parent.Value[..Math.Min(255, one.Parent.Value.Length)], one.State.Value[..Math.Min(8192, one.State.Value.Length)]);
            var fields = new CallFields(one.Operation.Item, (ResultEncoding)(one.IsRaw ? 1 : 0), one.Credit.Item, one.Remaining.Item, parent, state);
            var payload = Wire.Payload(writer =>
            {
                var call = CallWriter.Begin(writer, 1, fields);
                if (one.Values is { } values)
                {
                    call.BeginPart(PartKind.Json);
                    writer.Write(values);
                    call.EndPart();
                }

                foreach (var (parameter, bytes) in one.Raw)
                {
                    call.AddRaw(parameter.Item, bytes);
                }

                call.End();
            });
            var read = CallPayload.Read(payload);
            Assert.Equal((fields.Operation, fields.ResultEncoding, fields.InitialCredit, Math.Max(-1, fields.RemainingMilliseconds)), (read.Operation, read.ResultEncoding, read.InitialCredit, read.RemainingMilliseconds));
            Assert.Equal((Ascii(parent), Ascii(state)), (read.TraceParentText() ?? "", read.TraceStateText() ?? ""));
            Assert.Equal(Parts(one.Values, one.Raw), Parts(read));
        },
        Values);

    [Fact]
    public void Any_CALL_written_in_one_step() => Law.Holds<(DoNotSize<ushort> Operation, DoNotSize<uint> Credit, DoNotSize<long> Remaining, byte[] Values, (DoNotSize<ushort> Parameter, byte[] Bytes)[] Raw)>(
        static one =>
        {
            var fields = new CallFields(one.Operation.Item, ResultEncoding.Raw, one.Credit.Item, one.Remaining.Item);
            var read = CallPayload.Read(Wire.Payload(writer =>
                CallWriter.WriteShort(writer, 1, fields, one.Values, [.. one.Raw.Select(static part => new BinaryArgument(part.Parameter.Item, part.Bytes))])));
            Assert.Equal((fields.Operation, fields.ResultEncoding, fields.InitialCredit, Math.Max(-1, fields.RemainingMilliseconds)), (read.Operation, read.ResultEncoding, read.InitialCredit, read.RemainingMilliseconds));
            Assert.Equal(Parts(one.Values.Length == 0 ? null : one.Values, one.Raw), Parts(read));
        },
        Values);

    [Fact]
    public void Any_ERROR_of_what_was_thrown() => Law.Holds<(AnyText Type, AnyText Message, AnyText? Stack)>(
        static one =>
        {
            var error = ErrorPayload.Read(Wire.Payload(writer => ErrorPayload.WriteHandlerFailed(writer, 1, one.Type.Value, one.Message.Value, one.Stack?.Value)));
            var stack = one.Stack?.Arrived(ErrorPayload.MostStack) ?? "";
            Assert.Equal(
                (ErrorKind.HandlerFailed, one.Type.Arrived(ErrorPayload.MostName), one.Message.Arrived(ErrorPayload.MostMessage), stack.Length == 0 ? null : stack),
                (error.Kind, error.TypeName, error.Message, error.Stack));
        },
        Values);

    [Fact]
    public void Any_ERROR_of_a_status() => Law.Holds<(byte Status, AnyText? Content, AnyText[] Headers)>(
        static one =>
        {
            // Headers have different names.
            var headers = Few(one.Headers).DistinctBy(static text => text.Value).ToDictionary(static text => text.Value, static text => text);
            var status = 300 + one.Status;
            var error = ErrorPayload.Read(Wire.Payload(writer => ErrorPayload.WriteStatus(
                writer, 1, new OperationStatusException(status, one.Content?.Value, headers.ToDictionary(static pair => pair.Key, static pair => pair.Value.Value)))));
            Assert.Equal((ErrorKind.OperationStatus, status, one.Content is not null, one.Content?.Arrived() ?? ""), (error.Kind, error.Status, error.HasContent, error.Message));
            Assert.Equal(headers.Values.Select(static text => KeyValuePair.Create(text.Arrived(), text.Arrived())), error.Headers);
        },
        Values);

    [Fact]
    public void Any_ERROR_of_arguments() => Law.Holds<((AnyText Name, AnyText Source, AnyText Reason, AnyText Expected)[] BindingErrors, byte Times)>(
        static one =>
        {
            const int most = ErrorPayload.MostName / 4;
            var errors = Enumerable.Repeat(one.BindingErrors.Take(MostEntries), 1 + (one.Times / 8)).SelectMany(static some => some).ToArray();
            var error = ErrorPayload.Read(Wire.Payload(writer => ErrorPayload.WriteBadArguments(
                writer, 1, [.. errors.Select(static error => new BindingError(error.Name.Value, error.Source.Value, error.Reason.Value, error.Expected.Value))])));
            Assert.Equal(
                errors.Take(ErrorPayload.MostErrors).Select(static error => new BindingError(error.Name.Arrived(most), error.Source.Arrived(most), error.Reason.Arrived(most), error.Expected.Arrived(most))),
                error.BindingErrors);
        },
        values: 200);

    [Fact]
    public void Any_LOG_BYE_and_ABORT() => Law.Holds<(byte Level, DoNotSize<int> EventId, DoNotSize<uint> Dropped, AnyText Name, AnyText Category, AnyText Message, AnyText Exception)>(
        static one =>
        {
            var level = (byte)(one.Level % 6);
            Assert.Equal(
                new LogPayload(level, one.EventId.Item, one.Dropped.Item, one.Name.Arrived(1024), one.Category.Arrived(1024), one.Message.Arrived(LogPayload.MostText), one.Exception.Arrived(LogPayload.MostText)),
                LogPayload.Read(Wire.Payload(writer =>
                    new LogPayload(level, one.EventId.Item, one.Dropped.Item, one.Name.Value, one.Category.Value, one.Message.Value, one.Exception.Value).Write(writer, 1))));
            Assert.Equal(
                new ByePayload((ByeReason)one.Level, one.Message.Arrived(ErrorPayload.MostMessage)),
                ByePayload.Read(Wire.Payload(new ByePayload((ByeReason)one.Level, one.Message.Value).Write)));
            var reason = one.Level % 2 == 0 ? AbortReason.CallerFailed : AbortReason.Cancelled;
            Assert.Equal(
                new AbortPayload(reason, one.Message.Arrived(ErrorPayload.MostMessage)),
                AbortPayload.Read(Wire.Payload(writer => new AbortPayload(reason, one.Message.Value).Write(writer, 1))));
        },
        Values);

    [Fact]
    public void Any_PROGRESS() => Law.Holds<(ushort Part, AnyText Text)>(
        static one => Assert.Equal(
            new ProgressPayload(one.Part / 65_535.0, one.Text.Arrived(ProgressPayload.MostText)),
            ProgressPayload.Read(Wire.Payload(writer => new ProgressPayload(one.Part / 65_535.0, one.Text.Value).Write(writer, 1)))),
        Values);

    [Fact]
    public void Any_number() => Law.Holds<(DoNotSize<ulong> Number, DoNotSize<ulong> Other, CancelReason Reason)>(
        static one =>
        {
            var (number, other) = (one.Number.Item, one.Other.Item);
            var credit = new CreditPayload(Math.Max(1, (uint)number));
            Assert.Equal(credit, CreditPayload.Read(Wire.Payload(writer => credit.Write(writer, 1))));
            Assert.Equal(new CancelPayload(one.Reason), CancelPayload.Read(Wire.Payload(writer => new CancelPayload(one.Reason).Write(writer, 1))));
            Assert.Equal(new ReturnedPayload(number), ReturnedPayload.Read(Wire.Payload(writer => new ReturnedPayload(number).Write(writer, 1))));
            Assert.Equal(new PingPayload(number), PingPayload.Read(Wire.Payload(writer => new PingPayload(number).Write(writer, FrameType.Ping))));
            Assert.Equal(new PingPayload(number), PingPayload.Read(Wire.Payload(writer => new PingPayload(number).Write(writer, FrameType.Pong))));
            var error = ErrorPayload.Read(Wire.Payload(writer => ErrorPayload.WritePayloadTooLarge(writer, 1, (long)number, (long)other)));
            Assert.Equal((ErrorKind.PayloadTooLarge, number, other), (error.Kind, error.Length, error.Limit));
        },
        Values);

    private static AnyText[] Few(AnyText[] texts) => texts[..Math.Min(MostEntries, texts.Length)];

    private static AnyText Of(AnyText[] texts, int index) => index < texts.Length ? texts[index] : new AnyText(NonNull<string>.NewNonNull(""), [], 1);

    private static string Ascii(string text) => string.Concat(text.Select(static unit => unit < 0x80 ? unit : '?'));

    private static List<string> Parts(byte[]? values, (DoNotSize<ushort> Parameter, byte[] Bytes)[] raw)
    {
        var parts = new List<string>();
        if (values is not null)
        {
            parts.Add($"{PartKind.Json} 0 {Convert.ToHexString(values)}");
        }

        parts.AddRange(raw.Select(static part => $"{PartKind.Raw} {part.Parameter.Item} {Convert.ToHexString(part.Bytes)}"));
        return parts;
    }

    private static List<string> Parts(CallPayload call)
    {
        var parts = new List<string>();
        foreach (var part in call.Parts)
        {
            parts.Add($"{part.Kind} {part.Parameter} {Convert.ToHexString(part.Bytes.Span)}");
        }

        return parts;
    }
}
