using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Tests.Protocol;

public sealed class PayloadTests
{
    [Fact]
    public void A_call_is_read_as_it_was_written()
    {
        var payload = Wire.Payload(Samples.Named("call-full").Write);
        var call = CallPayload.Read(payload);

        Assert.Equal(258, call.Operation);
        Assert.Equal(ResultEncoding.Raw, call.ResultEncoding);
        Assert.Equal(65536u, call.InitialCredit);
        Assert.Equal(1500, call.RemainingMilliseconds);
        Assert.Equal("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", call.TraceParentText());
        Assert.Equal("k=v", call.TraceStateText());

        var parts = new List<(PartKind, int, string)>();
        foreach (var part in call.Parts)
            parts.Add((part.Kind, part.Parameter, Convert.ToHexString(part.Bytes.Span)));
        Assert.Equal([(PartKind.Json, 0, Convert.ToHexString("{\"n\":1}"u8)), (PartKind.Raw, 1, "000102")], parts);
    }

    [Theory]
    [InlineData("")]
    [InlineData("ascii")]
    [InlineData("caf\u00e9")]
    [InlineData("\u20ac")]
    [InlineData("\ud83d\ude00")]
    [InlineData("\u0000\u007f\u0080")]
    public void Text_of_every_length_and_alphabet_travels_as_UTF_8(string end)
    {
        foreach (var length in (int[])[0, 1, 126, 127, 128, 129, 9000])
        {
            var text = new string('x', length) + end;
            var payload = Wire.Payload(new ByePayload(ByeReason.Drained, text).Write);

            Assert.Equal(System.Text.Encoding.UTF8.GetBytes(text), payload[5..]);
            Assert.Equal(text, ByePayload.Read(payload).Message);
        }
    }

    [Fact]
    public void An_empty_call_has_no_deadline_no_trace_and_no_parts()
    {
        var call = CallPayload.Read(Wire.Payload(Samples.Named("call-empty").Write));
        Assert.Equal(-1, call.RemainingMilliseconds);
        Assert.Null(call.TraceParentText());
        Assert.Null(call.TraceStateText());
        Assert.Equal(0, call.Parts.Count);
    }

    [Theory]
    [InlineData(2, 2)]      // result encoding
    [InlineData(3, 1)]      // reserved
    [InlineData(15, 0x80)]  // a deadline below -1
    [InlineData(16, 255)]   // a traceparent longer than the payload
    [InlineData(17, 1)]     // reserved
    [InlineData(19, 255)]   // a tracestate longer than the payload
    [InlineData(20, 3)]     // more parts than there are
    [InlineData(20, 1)]     // fewer parts than there are
    [InlineData(22, 1)]     // reserved
    [InlineData(24 + 58, 2)] // a part kind that was not agreed
    [InlineData(24 + 59, 1)] // reserved
    [InlineData(24 + 60, 1)] // a parameter index on JSON
    [InlineData(24 + 65, 1)] // a part longer than the payload
    [InlineData(24 + 73, 0)] // a second JSON part
    public void A_call_with_a_wrong_field_is_malformed(int offset, byte value)
    {
        var payload = Wire.Payload(Samples.Named("call-full").Write);
        payload[offset] = value;
        Assert.Equal(FrameError.MalformedPayload, Assert.Throws<FrameException>(() => CallPayload.Read(payload)).Error);
    }

    [Fact]
    public void A_part_written_piece_by_piece_has_its_whole_length()
    {
        var payload = Wire.Payload(w =>
        {
            var call = CallWriter.Begin(w, 1, new CallFields(0));
            call.BeginPart(PartKind.Json);
            for (var i = 0; i < 100; i++)
                w.Write(new byte[1000]);
            call.EndPart();
            call.AddRaw(3, new byte[50_000]);
            call.End();
        });

        var lengths = new List<int>();
        foreach (var part in CallPayload.Read(payload).Parts)
            lengths.Add(part.Bytes.Length);
        Assert.Equal([100_000, 50_000], lengths);
    }

    [Theory]
    [InlineData(0, "")]
    [InlineData(1, "page 4 of 10")]
    [InlineData(0.1, "水 \ud83d\ude00")]
    [InlineData(-0.0, "\0")]
    public void Progress_is_read_as_it_was_written(double fraction, string text) =>
        Assert.Equal(new ProgressPayload(fraction, text), ProgressPayload.Read(Wire.Payload(w => new ProgressPayload(fraction, text).Write(w, 1))));

    [Theory]
    [InlineData(double.NaN)]
    [InlineData(double.PositiveInfinity)]
    [InlineData(double.NegativeInfinity)]
    [InlineData(-double.Epsilon)]
    [InlineData(1.0000000000000002)]
    public void Progress_that_is_not_between_0_and_1_is_malformed(double fraction)
    {
        var payload = Wire.Payload(w => new ProgressPayload(fraction, "").Write(w, 1));
        Assert.Equal(FrameError.MalformedPayload, Assert.Throws<FrameException>(() => ProgressPayload.Read(payload)).Error);
    }

    [Fact]
    public void Progress_that_is_cut_or_followed_by_bytes_is_malformed()
    {
        var payload = Wire.Payload(Samples.Named("progress").Write);
        Assert.Equal(FrameError.MalformedPayload, Assert.Throws<FrameException>(() => ProgressPayload.Read(payload.AsSpan(0, payload.Length - 1))).Error);
        Assert.Equal(FrameError.MalformedPayload, Assert.Throws<FrameException>(() => ProgressPayload.Read([.. payload, 0])).Error);
    }

    [Theory]
    [InlineData("x", 200)]
    [InlineData("水", 200)]
    [InlineData("\ud83d\ude00", 100)]
    [InlineData("x\ud83d\ude00", 133)] // 199 units: the last pair would be cut in two.
    public void The_longest_text_of_progress_fits_its_frame_and_longer_text_is_cut_to_it(string unit, int fits)
    {
        var whole = string.Concat(Enumerable.Repeat(unit, 200));
        var most = string.Concat(Enumerable.Repeat(unit, fits))[..(unit.Length == 3 ? 199 : 200)];
        var frames = Wire.Frames(Wire.Bytes(w => new ProgressPayload(0.5, whole).Write(w, 1)), FrameRoute.ControlUp);
        Assert.Equal(most, ProgressPayload.Read(Assert.Single(frames).Payload).Text);
    }

    [Fact]
    public void Progress_with_more_than_200_characters_of_any_alphabet_is_too_long()
    {
        var header = new byte[FrameHeader.Size];
        new FrameHeader(FrameType.Progress, FrameFlags.None, 1, 12 + (200 * 4)).Write(header);
        Assert.Equal(812, FrameHeader.Read(header, FrameRoute.ControlUp, int.MaxValue).PayloadLength);
        new FrameHeader(FrameType.Progress, FrameFlags.None, 1, 12 + (200 * 4) + 1).Write(header);
        Assert.Equal(FrameError.PayloadTooLong, Assert.Throws<FrameException>(() => FrameHeader.Read(header, FrameRoute.ControlUp, int.MaxValue)).Error);
    }

    [Fact]
    public void A_context_is_of_a_job_where_its_items_name_one()
    {
        var items = new Dictionary<object, object?>();
        new JobContext(Guid.NewGuid(), 1, 1).WriteTo(items);
        var pairs = items.Select(static item => KeyValuePair.Create((string)item.Key, (string)item.Value!)).ToArray();
        Assert.True(new CallContext { Items = pairs }.IsOfJob);
        Assert.False(new CallContext { Items = [.. pairs.Where(static pair => pair.Key != "weir.job.id")] }.IsOfJob);
    }

    [Fact]
    public void A_failure_is_read_as_it_was_written()
    {
        var error = ErrorPayload.Read(Wire.Payload(Samples.Named("error-failed").Write));
        Assert.Equal((ErrorKind.HandlerFailed, "System.InvalidOperationException", "no", "at A.B()"), (error.Kind, error.TypeName, error.Message, error.Stack));
    }

    [Fact]
    public void A_failure_without_a_stack_has_none() =>
        Assert.Null(ErrorPayload.Read(Wire.Payload(w => ErrorPayload.WriteHandlerFailed(w, 1, "T", "", null))).Stack);

    [Fact]
    public void A_status_is_read_with_content_and_headers()
    {
        var error = ErrorPayload.Read(Wire.Payload(Samples.Named("error-status").Write));
        Assert.Equal((409, true, "taken"), (error.Status, error.HasContent, error.Message));
        Assert.Equal(new("Retry-After", "1"), Assert.Single(error.Headers));
    }

    [Fact]
    public void A_status_without_content_differs_from_one_with_empty_content()
    {
        Assert.False(ErrorPayload.Read(Wire.Payload(w => ErrorPayload.WriteStatus(w, 1, new OperationStatusException(404)))).HasContent);
        Assert.True(ErrorPayload.Read(Wire.Payload(w => ErrorPayload.WriteStatus(w, 1, new OperationStatusException(404, "")))).HasContent);
    }

    [Fact]
    public void A_status_whose_content_does_not_fit_is_not_cut_silently()
    {
        using var writer = new FrameWriter();
        Assert.Throws<PayloadTooLongException>(() => ErrorPayload.WriteStatus(writer, 1, new OperationStatusException(404, new string('x', 2 << 20))));
        Assert.Equal(0, writer.Pending);
    }

    [Fact]
    public void Binding_errors_are_read_as_they_were_written_and_are_bounded()
    {
        var errors = Enumerable.Range(0, 1000).Select(i => new BindingError("n" + i, "frame", BindingErrorReason.Missing, "a value")).ToArray();
        var error = ErrorPayload.Read(Wire.Payload(w => ErrorPayload.WriteBadArguments(w, 1, errors)));
        Assert.Equal(errors.Take(ErrorPayload.MostErrors), error.BindingErrors);
    }

    [Fact]
    public void The_lengths_of_a_result_that_is_too_large_are_read_as_they_were_written()
    {
        var error = ErrorPayload.Read(Wire.Payload(Samples.Named("error-too-large").Write));
        Assert.Equal((70_000_000ul, 67_108_864ul), (error.Length, error.Limit));
    }

    [Theory]
    [InlineData("error-cancelled", ErrorKind.Cancelled)]
    [InlineData("error-deadline", ErrorKind.DeadlineExceeded)]
    [InlineData("error-memory", ErrorKind.OutOfMemory)]
    public void An_outcome_without_a_message_is_read_as_it_was_written(string name, Enum kind) =>
        Assert.Equal(kind, ErrorPayload.Read(Wire.Payload(Samples.Named(name).Write)).Kind);

    [Fact]
    public void A_message_is_cut_between_characters_and_a_hostile_one_still_fits()
    {
        var text = new string('x', ErrorPayload.MostMessage - 1) + "😀";
        var error = ErrorPayload.Read(Wire.Payload(w => ErrorPayload.WriteHandlerFailed(w, 1, text, text, string.Concat(Enumerable.Repeat("語", 1 << 20)))));
        Assert.Equal(text[..^2], error.Message);
        Assert.Equal(ErrorPayload.MostStack, error.Stack!.Length);
    }

    [Fact]
    public void Text_that_is_not_UTF8_reads_as_replacement_characters()
    {
        var payload = Wire.Payload(w => new ByePayload(ByeReason.Drained, "ab").Write(w));
        payload[^1] = 0xff;
        Assert.Equal("a\ufffd", ByePayload.Read(payload).Message);
    }

    [Fact]
    public void HELLO_is_read_as_it_was_written()
    {
        var hello = HelloPayload.Read(Wire.Payload(Samples.Named("hello").Write));
        Assert.Equal((1, 2, Capabilities.RequestStreams | Capabilities.Concurrent), (hello.MinVersion, hello.MaxVersion, hello.Capabilities));
        Assert.Equal((64 << 20, (byte)3, "c1", "hashing"), (hello.MostPayload, hello.LeastLogLevel, hello.CatalogIdentity, hello.Pool));
        Assert.Equal(new("Key", "secret"), Assert.Single(hello.Configuration));
        Assert.Equal((true, 4), (hello.WarmUp, hello.CallsAtATime));
    }

    [Fact]
    public void HELLO_lists_what_workers_share()
    {
        var hello = HelloPayload.Read(Wire.Payload(Samples.Named("hello-shared-data").Write));
        Assert.Equal([new("model", 4096, 2, ""), new("words", 3, 1, "/tmp/words")], hello.SharedData);
        Assert.Empty(HelloPayload.Read(Wire.Payload(Samples.Named("hello").Write)).SharedData);
    }

    [Fact]
    public void HELLO_of_a_host_that_ends_with_its_configuration_warms_nothing_up_and_runs_one_call_at_a_time()
    {
        var payload = Wire.Payload(Samples.Named("hello").Write);
        var hello = HelloPayload.Read(payload.AsSpan(0, payload.Length - 4));
        Assert.Equal((false, 1), (hello.WarmUp, hello.CallsAtATime));
        Assert.Equal(new("Key", "secret"), Assert.Single(hello.Configuration));
    }

    [Theory]
    [InlineData(4, 2, "2 is neither 0")]
    [InlineData(3, 1, "the byte after it is 1")]
    [InlineData(2, 0, "0 calls at a time")]
    public void HELLO_with_an_invalid_conduct_is_malformed(int fromEnd, byte value, string detail)
    {
        var payload = Wire.Payload(Samples.Named("hello").Write);
        payload[^fromEnd] = value;
        var error = Assert.Throws<FrameException>(() => HelloPayload.Read(payload));
        Assert.Equal(FrameError.MalformedPayload, error.Error);
        Assert.Contains(detail, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void READY_is_read_as_it_was_written()
    {
        var ready = ReadyPayload.Read(Wire.Payload(Samples.Named("ready").Write));
        Assert.Equal((1, Capabilities.Concurrent, 64 << 20, 4711, "c1"), (ready.Version, ready.Capabilities, ready.MostPayload, ready.ProcessId, ready.CatalogIdentity));
        Assert.Equal([new("Hasher/Hash", 0x0123456789abcdef), new("Hasher/Nothing", 2)], ready.Operations);
    }

    [Fact]
    public void A_table_of_20000_operations_fits_into_READY()
    {
        var operations = Enumerable.Range(0, 20_000).Select(i => new OperationEntry($"SomeService{i}/SomeOperation", (ulong)i)).ToArray();
        Assert.Equal(operations, ReadyPayload.Read(Wire.Payload(w => new ReadyPayload { Operations = operations }.Write(w))).Operations);
    }

    [Fact]
    public void A_start_failure_is_read_as_it_was_written()
    {
        var failure = StartFailure.Read(Wire.Payload(Samples.Named("ready-failed").Write));
        Assert.Equal(new StartFailure("create App.Hasher", "System.InvalidOperationException", "no key", ""), failure);
    }

    [Fact]
    public void A_log_record_is_read_as_it_was_written()
    {
        var log = LogPayload.Read(Wire.Payload(Samples.Named("log").Write));
        Assert.Equal(new LogPayload(3, 17, 3, "Slow", "App.Hasher", "slow", "System.Exception: x"), log);
    }

    [Fact]
    public void The_details_of_a_log_record_are_read_as_they_were_written()
    {
        var details = LogPayload.Read(Wire.Payload(Samples.Named("log-details").Write)).Details!;
        Assert.Equal(("took {Ms}", "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"), (details.Template, details.TraceId, details.SpanId));
        Assert.Equal([new LogValue("Ms", LogValueKind.Integer, "5")], details.Values);
        var scope = Assert.Single(details.Scopes);
        Assert.Equal("order 7", scope.Text);
        Assert.Equal([new LogValue("Order", LogValueKind.Text, "7")], scope.Values);
    }

    [Fact]
    public void The_context_of_a_call_is_read_as_it_was_written_and_its_size_is_known_before()
    {
        var call = CallPayload.Read(Wire.Payload(Samples.Named("call-context").Write));
        var part = call.Parts.GetEnumerator();
        Assert.True(part.MoveNext());
        var context = CallContext.Read(part.Current.Bytes.Span);
        Assert.Equal(("de-DE", "en"), (context.Culture, context.UICulture));
        Assert.Equal([new("user", "7")], context.Baggage);
        Assert.Equal([new("tenant", "a")], context.Items);
        Assert.Equal(part.Current.Bytes.Length, context.Size);
        Assert.Equal("{}"u8, Second(part).Span);

        static ReadOnlyMemory<byte> Second(CallParts parts) => parts.MoveNext() ? parts.Current.Bytes : default;
    }

    [Fact]
    public void The_caller_of_a_call_is_read_as_it_was_written()
    {
        var call = CallPayload.Read(Wire.Payload(Samples.Named("call-caller").Write));
        var part = call.Parts.GetEnumerator();
        Assert.True(part.MoveNext());
        Assert.Equal((PartKind.Caller, 0), (part.Current.Kind, part.Current.Parameter));
        var caller = CallerPayload.Read(part.Current.Bytes.Span);
        Assert.Equal(("ann", "7"), (caller.Identity!.Name, caller.FindFirst("age")?.Value));
        Assert.True(part.MoveNext());
        Assert.Equal("{}"u8, part.Current.Bytes.Span);
    }

    [Theory]
    [InlineData(true, "the parameter index of the caller is 1, not 0")]
    [InlineData(false, "two parts are callers")]
    public void A_call_with_a_wrong_caller_part_is_malformed(bool isNumbered, string detail)
    {
        var payload = Wire.Payload(w =>
        {
            var call = CallWriter.Begin(w, 9, new CallFields(1, Caller: "{}"u8.ToArray()));
            call.BeginPart(PartKind.Caller);
            w.Write("{}"u8);
            call.EndPart();
            call.End();
        });
        payload[24 + 2] = isNumbered ? (byte)1 : (byte)0;
        var error = Assert.Throws<FrameException>(() => CallPayload.Read(payload));
        Assert.Equal(FrameError.MalformedPayload, error.Error);
        Assert.Contains(detail, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Small_payloads_are_read_as_they_were_written()
    {
        Assert.Equal(65536u, CreditPayload.Read(Wire.Payload(Samples.Named("credit").Write)).Bytes);
        Assert.Equal(CancelReason.Caller, CancelPayload.Read(Wire.Payload(Samples.Named("cancel").Write)).Reason);
        Assert.Equal(8ul, ReturnedPayload.Read(Wire.Payload(Samples.Named("returned").Write)).Last);
        Assert.Equal(0x1122334455667788ul, PingPayload.Read(Wire.Payload(Samples.Named("pong").Write)).Stamp);
        Assert.Equal(new AbortPayload(AbortReason.CallerFailed, "gone"), AbortPayload.Read(Wire.Payload(Samples.Named("abort").Write)));
        Assert.Equal(new ByePayload(ByeReason.Drained, ""), ByePayload.Read(Wire.Payload(Samples.Named("bye").Write)));
    }

    [Theory]
    [InlineData("hello")]
    [InlineData("hello-shared-data")]
    [InlineData("ready")]
    [InlineData("ready-failed")]
    [InlineData("log-details")]
    [InlineData("bye")]
    public void Descriptions_may_grow_at_their_end(string name)
    {
        var (header, payload) = Wire.Frames(Samples.Named(name).Bytes())[0];
        Wire.Interpret(new Frame(header, (byte[])[.. payload, 1, 2, 3]));
    }

    [Theory]
    [InlineData("call-full")]
    [InlineData("abort")]
    [InlineData("error-failed")]
    [InlineData("error-cancelled")]
    public void All_other_payloads_end_with_their_last_field(string name)
    {
        var (header, payload) = Wire.Frames(Samples.Named(name).Bytes())[0];
        Assert.Throws<FrameException>(() => Wire.Interpret(new Frame(header, (byte[])[.. payload, 0])));
    }

    [Theory]
    [InlineData(1, 1, 1)]
    [InlineData(1, 9, 1)]
    [InlineData(0, 1, 1)]
    [InlineData(2, 9, 0)]
    [InlineData(0, 0, 0)]
    public void Two_sides_agree_on_the_highest_version_that_both_support(int min, int max, int agreed) =>
        Assert.Equal(agreed, ProtocolVersion.Agree(min, max));

    [Fact]
    public void An_unpaired_surrogate_does_not_stop_a_message()
    {
        var error = ErrorPayload.Read(Wire.Payload(w => ErrorPayload.WriteHandlerFailed(w, 1, "T", "a\ud800b", null)));
        Assert.Equal("a\ufffdb", error.Message);
    }
}
