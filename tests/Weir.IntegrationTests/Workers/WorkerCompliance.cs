using Weir.Execution.Pools.Definition;
using Weir.Execution.Processes;
using Weir.IntegrationTests.Processes;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Workers;

/// <summary>What <c>docs/protocol.md</c> asks of every worker, in any language; each class below is one worker.</summary>
public abstract class WorkerCompliance
{
    private static readonly HelloPayload Usual = LiveWorker.Hello(configuration: ("word", "Hello"));

    /// <summary>The service whose operations it serves.</summary>
    private protected abstract string Service { get; }

    /// <summary>What is thrown by Fail.</summary>
    private protected abstract string FailureType { get; }

    private protected abstract WorkerProgram Program { get; }

    /// <summary>Whether the runtime reports that memory ran out; otherwise it ends itself.</summary>
    private protected virtual bool TellsOfMemory => true;

    /// <summary>Whether its code learns of the job that a call is an attempt of, and tells how far it is.</summary>
    private protected virtual bool HasJobs => true;

    private protected static CancellationToken Token => TestContext.Current.CancellationToken;

    private protected Task<LiveWorker> StartAsync(HelloPayload? hello = null) => LiveWorker.StartAsync(Program, Service, hello ?? Usual);

    // ---- life

    [Fact]
    public async Task It_does_nothing_before_HELLO_but_answers_PING_and_then_says_READY()
    {
        await using var worker = await LiveWorker.LaunchAsync(Program, Service);
        worker.Ping(7);
        var pong = await worker.NextControlAsync();
        Assert.Equal((FrameType.Pong, 7ul), (pong.Type, PingPayload.Read(pong.Payload).Stamp));
        worker.Control(Usual.Write);
        var ready = worker.Accept(await worker.NextControlAsync());

        Assert.Equal((1, worker.ProcessId), (ready.Version, ready.ProcessId));
        Assert.Equal(Capabilities.None, ready.Capabilities & ~Capabilities.SharedMemory);
        Assert.InRange(ready.MostPayload, FrameReader.DefaultMostPayload, int.MaxValue);
        Assert.True(worker.IndexOf("Add") >= 0);
    }

    [Fact]
    public async Task A_host_without_a_common_version_is_refused_by_name()
    {
        await using var worker = await LiveWorker.LaunchAsync(Program, Service);
        worker.Control(LiveWorker.Hello(leastVersion: 7, mostVersion: 9).Write);
        await AssertStartFailedAsync(worker, "agree version", "7 to 9");
    }

    [Fact]
    public async Task A_start_that_fails_says_where_and_why()
    {
        await using var worker = await LiveWorker.LaunchAsync(Program, Service);
        worker.Control(LiveWorker.Hello(configuration: ("start", "throw")).Write);
        await AssertStartFailedAsync(worker, "build services", "no database");
    }

    [Fact]
    public async Task What_a_newer_host_appends_to_HELLO_is_passed_over()
    {
        await using var worker = await LiveWorker.LaunchAsync(Program, Service);
        worker.Control(frames =>
        {
            // A HELLO with a later version, unknown capabilities, and four bytes more.
            using var known = new FrameWriter();
            LiveWorker.Hello(mostVersion: 2).Write(known);
            known.TryPeek(out var bytes);
            frames.Begin(FrameType.Hello, 0);
            frames.Write(bytes.Span[FrameHeader.Size..]);
            frames.Write([1, 2, 3, 4]);
            frames.End();
        });
        Assert.Equal(1, worker.Accept(await worker.NextControlAsync()).Version);
    }

    [Fact]
    public async Task A_worker_without_calls_drains_at_once_and_exits_with_zero()
    {
        await using var worker = await StartAsync();
        worker.Drain(0);
        await AssertReturnedAsync(worker, 1, 0);
        await AssertLeavesAsync(worker);
    }

    [Fact]
    public async Task A_running_call_ends_before_its_worker_leaves_and_the_others_are_handed_back()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Ignore", """{"milliseconds":300}""");
        await worker.ExpectAsync(FrameType.Started, 1);
        worker.Call(2, "Exit", """{"code":9}""");
        worker.Drain(3);
        await AssertReturnedAsync(worker, 2, 3);
        worker.Call(3, "Exit", """{"code":9}""");
        Assert.Equal("\"done\"", (await worker.ExpectAsync(FrameType.Result, 1)).Text);
        await AssertLeavesAsync(worker);
    }

    [Fact]
    public async Task Signals_that_are_meant_for_the_host_are_left_to_it()
    {
        await using var worker = await StartAsync();
        foreach (var signal in new[] { Signals.Int, Signals.Term })
        {
            Assert.Equal(0, Signals.Send(worker.ProcessId, signal));
        }

        await worker.SettleControlAsync();
        worker.Call(1, "Add", """{"a":40,"b":2}""");
        Assert.Equal("42", (await worker.ExpectResultAsync(1)).Text);
    }

    // ---- calls

    [Fact]
    public async Task A_value_comes_back_as_JSON()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Add", """{"a":40,"b":2}""");
        var result = await worker.ExpectResultAsync(1);
        Assert.Equal(("42", FrameFlags.None), (result.Text, result.Flags));
    }

    [Theory]
    [InlineData("")]
    [InlineData("水門 \"weir\" \\ \n 🌊")]
    public async Task Text_comes_back_as_it_went_as_JSON_and_raw(string text)
    {
        await using var worker = await StartAsync();
        var json = $$"""{"TEXT":{{System.Text.Json.JsonSerializer.Serialize(text)}}}""";
        worker.Call(1, "Echo", json);
        worker.Call(2, "Later", json, wished: ResultEncoding.Raw);
        var first = await worker.ExpectResultAsync(1);
        Assert.Equal((text, FrameFlags.None), (System.Text.Json.JsonSerializer.Deserialize<string>(first.Payload), first.Flags));
        var second = await worker.ExpectResultAsync(2);
        Assert.Equal((text, FrameFlags.Raw), (second.Text, second.Flags));
    }

    [Fact]
    public async Task Null_is_JSON_whatever_was_wished_and_what_is_absent_may_be_null()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Maybe", """{"text":null}""", wished: ResultEncoding.Raw);
        worker.Call(2, "Maybe");
        Assert.Equal(("null", FrameFlags.None), await TextAndFlagsAsync(worker, 1));
        Assert.Equal(("null", FrameFlags.None), await TextAndFlagsAsync(worker, 2));
    }

    [Fact]
    public async Task Bytes_travel_beside_the_values_and_come_back_raw_or_as_base64()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Reverse", """{"prefix":"a"}""", [1, 2, 0xff], wished: ResultEncoding.Raw);
        worker.Call(2, "Reverse", """{"prefix":""}""", [1, 2, 3]);
        var raw = await worker.ExpectResultAsync(1);
        Assert.Equal(FrameFlags.Raw, raw.Flags);
        Assert.Equal([(byte)'a', 0xff, 2, 1], raw.Payload);
        Assert.Equal(("\"AwIB\"", FrameFlags.None), await TextAndFlagsAsync(worker, 2));
    }

    [Fact]
    public async Task Megabytes_arrive_whole_both_ways()
    {
        await using var worker = await StartAsync();
        var data = new byte[5_000_001];
        new Random(1).NextBytes(data);
        worker.Call(1, "Reverse", """{"prefix":""}""", data, wished: ResultEncoding.Raw);
        worker.Call(2, "Add", """{"a":1,"b":2}""");
        var result = await worker.ExpectResultAsync(1);
        Array.Reverse(data);
        Assert.True(data.AsSpan().SequenceEqual(result.Payload));
        Assert.Equal("3", (await worker.ExpectResultAsync(2)).Text);
    }

    [Theory]
    [InlineData("""{"numbers":[1,2]}""", "13")]
    [InlineData("""{"numbers":[],"start":5}""", "5")]
    [InlineData("""{"numbers":[4],"notAParameter":{"a":[null]}}""", "14")]
    public async Task What_is_absent_has_its_default_and_what_is_no_parameter_is_skipped(string arguments, string sum)
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Sum", arguments);
        Assert.Equal(sum, (await worker.ExpectResultAsync(1)).Text);
    }

    [Fact]
    public async Task An_operation_without_a_result_says_so_or_null()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Nothing");
        var (text, flags) = await TextAndFlagsAsync(worker, 1);
        Assert.Contains((text, flags), new[] { ("", FrameFlags.NoValue), ("null", FrameFlags.None) });
    }

    [Theory]
    [InlineData("""{"b":"two"}""", "a missing", "b invalid")]
    [InlineData("""{"a":1.5,"b":2}""", "a invalid")]
    [InlineData("""{"a":null,"b":2}""", "a null")]
    [InlineData("""{"a":1,""", "malformed")]
    [InlineData("""[1,2]""", "invalid")]
    public async Task Everything_that_is_wrong_with_the_arguments_is_said_at_once(string arguments, params string[] errors)
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Add", arguments);
        worker.Call(2, "Add", """{"a":1,"b":2}""");
        var error = await worker.ExpectErrorAsync(1);
        Assert.Equal(ErrorKind.BadArguments, error.Kind);
        var said = error.BindingErrors.Select(static error => $"{error.Name} {error.Reason}").ToArray();
        Assert.All(errors, expected => Assert.Contains(said, one => one.EndsWith(expected, StringComparison.Ordinal)));
        Assert.Equal("3", (await worker.ExpectResultAsync(2)).Text);
    }

    [Fact]
    public async Task Bytes_for_a_value_are_a_fault()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Add", """{"a":1}""", [1, 2]);
        var error = await worker.ExpectErrorAsync(1);
        Assert.Equal((ErrorKind.BadArguments, "b", "invalid"), (error.Kind, error.BindingErrors[0].Name, error.BindingErrors[0].Reason));
    }

    [Fact]
    public async Task A_failure_is_carried_back_with_its_type_message_and_stack()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Fail", """{"message":"it broke: 水"}""");
        var error = await worker.ExpectErrorAsync(1);
        Assert.Equal((ErrorKind.HandlerFailed, FailureType, "it broke: 水"), (error.Kind, error.TypeName, error.Message));
        Assert.Matches("(?i)compliance|program", error.Stack);
    }

    [Fact]
    public async Task A_status_of_its_own_is_carried_back()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Refuse", """{"status":409}""");
        var error = await worker.ExpectErrorAsync(1);
        Assert.Equal((ErrorKind.OperationStatus, 409, "refused"), (error.Kind, error.Status, error.Message));
        Assert.Equal(KeyValuePair.Create("X-Reason", "test"), Assert.Single(error.Headers));
    }

    [Fact]
    public async Task A_result_that_the_host_does_not_read_is_an_error_that_names_both_lengths()
    {
        await using var worker = await StartAsync(LiveWorker.Hello(mostPayload: 10_000));
        worker.Call(1, "Huge", """{"length":20000}""", wished: ResultEncoding.Raw);
        var error = await worker.ExpectErrorAsync(1);
        Assert.Equal((ErrorKind.PayloadTooLarge, 20_000ul, 10_000ul), (error.Kind, error.Length, error.Limit));
    }

    [Fact]
    public async Task Calls_that_are_sent_ahead_run_one_after_the_other_in_their_order()
    {
        await using var worker = await StartAsync();
        for (var id = 1ul; id <= 300; id++)
        {
            worker.Call(id, id % 3 == 0 ? "Later" : "Echo", $$"""{"text":"{{id}}"}""", wished: ResultEncoding.Raw);
        }

        for (var id = 1ul; id <= 300; id++)
        {
            Assert.Equal($"{id}", (await worker.ExpectResultAsync(id)).Text);
        }
    }

    // ---- streams

    [Theory]
    [InlineData("Count")]
    [InlineData("CountLater")]
    public async Task A_stream_sends_its_items_and_then_a_result_without_a_value(string operation)
    {
        await using var worker = await StartAsync();
        worker.Call(1, operation, """{"n":1000}""", credit: 1 << 20);
        await worker.ExpectAsync(FrameType.Started, 1);
        for (var i = 0; i < 1000; i++)
        {
            Assert.Equal($"{i}", (await worker.ExpectAsync(FrameType.Item, 1)).Text);
        }

        Assert.Equal(FrameFlags.NoValue, (await worker.ExpectAsync(FrameType.Result, 1)).Flags);
        worker.Call(2, operation, """{"n":0}""", credit: 1);
        Assert.Equal(FrameFlags.NoValue, (await worker.ExpectResultAsync(2)).Flags);
    }

    [Theory]
    [InlineData("Count")]
    [InlineData("CountLater")]
    public async Task A_stream_never_sends_more_than_its_credit_and_one_item(string operation)
    {
        await using var worker = await StartAsync();
        worker.Call(1, operation, """{"n":100}""", credit: 50);
        await worker.ExpectAsync(FrameType.Started, 1);
        var sent = 0;
        foreach (var (grant, items) in new[] { (0u, 3), (1u, 0), (1u, 1), (16u, 0), (18u, 2) })
        {
            if (grant > 0)
            {
                worker.Grant(1, grant);
            }

            // An item of one digit costs 17: 50 is three of them, with one byte overdrawn.
            for (var i = 0; i < items; i++)
            {
                Assert.Equal($"{sent++}", (await worker.ExpectAsync(FrameType.Item, 1)).Text);
            }

            await worker.SettleControlAsync();
            await Task.Delay(50, Token);
            Assert.True(worker.IsQuiet);
        }

        worker.Cancel(1);
        Assert.Equal(ErrorKind.Cancelled, ErrorPayload.Read((await worker.ExpectAsync(FrameType.Error, 1)).Payload).Kind);
        worker.Call(2, "Add", """{"a":1,"b":2}""");
        Assert.Equal("3", (await worker.ExpectResultAsync(2)).Text);
    }

    [Fact]
    public async Task A_stream_that_fails_ends_with_an_error_behind_its_items()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "CountAndFail", """{"n":2}""", credit: 1 << 16);
        await worker.ExpectAsync(FrameType.Started, 1);
        await worker.ExpectAsync(FrameType.Item, 1);
        await worker.ExpectAsync(FrameType.Item, 1);
        var error = ErrorPayload.Read((await worker.ExpectAsync(FrameType.Error, 1)).Payload);
        Assert.Equal((ErrorKind.HandlerFailed, FailureType, "after 2"), (error.Kind, error.TypeName, error.Message));
    }

    // ---- cancellation, deadlines

    [Theory]
    [InlineData("Wait")]
    [InlineData("WaitLater")]
    [InlineData("Spin")]
    public async Task A_cancel_is_heard_while_code_runs_and_so_is_PING(string operation)
    {
        await using var worker = await StartAsync();
        worker.Call(1, operation);
        await worker.ExpectAsync(FrameType.Started, 1);
        await worker.SettleControlAsync();
        worker.Cancel(1);
        Assert.Equal(ErrorKind.Cancelled, ErrorPayload.Read((await worker.ExpectAsync(FrameType.Error, 1)).Payload).Kind);
        worker.Call(2, "Add", """{"a":1,"b":2}""");
        Assert.Equal("3", (await worker.ExpectResultAsync(2)).Text);
    }

    [Fact]
    public async Task A_cancel_before_its_call_is_remembered_and_the_code_never_runs()
    {
        await using var worker = await StartAsync();
        worker.Cancel(2);
        await worker.SettleControlAsync();
        worker.Call(1, "Add", """{"a":1,"b":2}""");
        worker.Call(2, "Exit", """{"code":9}""");
        worker.Call(3, "Add", """{"a":3,"b":4}""");
        Assert.Equal("3", (await worker.ExpectResultAsync(1)).Text);
        Assert.Equal(ErrorKind.Cancelled, (await worker.ExpectErrorAsync(2)).Kind);
        Assert.Equal("7", (await worker.ExpectResultAsync(3)).Text);
    }

    [Fact]
    public async Task A_cancel_of_a_call_that_waits_behind_another_one_ends_it()
    {
        await using var worker = await StartAsync();

        // Received together: the second one may have been read when its CANCEL comes.
        worker.Data(frames =>
        {
            worker.WriteCall(frames, 1, "Ignore", """{"milliseconds":500}""");
            worker.WriteCall(frames, 2, "Wait");
        });
        await worker.ExpectAsync(FrameType.Started, 1);
        worker.Cancel(2);
        await worker.SettleControlAsync();
        Assert.Equal("\"done\"", (await worker.ExpectAsync(FrameType.Result, 1)).Text);
        Assert.Equal(ErrorKind.Cancelled, (await worker.ExpectErrorAsync(2)).Kind);
    }

    [Fact]
    public async Task A_cancel_and_credit_for_a_call_that_has_ended_mean_nothing()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Add", """{"a":1,"b":2}""");
        await worker.ExpectResultAsync(1);
        worker.Cancel(1, (CancelReason)200);
        worker.Grant(1, 5);
        worker.Grant(7, 5);
        await worker.SettleControlAsync();
        worker.Call(2, "Add", """{"a":3,"b":4}""");
        Assert.Equal("7", (await worker.ExpectResultAsync(2)).Text);
    }

    [Theory]
    [InlineData("Wait", null)]
    [InlineData("WaitLater", null)]
    [InlineData("Spin", null)]
    [InlineData("Ignore", """{"milliseconds":400}""")]
    public async Task A_call_whose_deadline_passes_ends_so_whatever_its_code_answers(string operation, string? arguments)
    {
        await using var worker = await StartAsync();
        worker.Call(1, operation, arguments, remaining: 150);
        Assert.Equal(ErrorKind.DeadlineExceeded, (await worker.ExpectErrorAsync(1)).Kind);
    }

    [Fact]
    public async Task No_deadline_is_missed_however_short_it_is()
    {
        await using var worker = await StartAsync();
        for (var i = 1; i <= 40; i++)
        {
            // Timers count whole milliseconds, and some are early.
            worker.Call((ulong)i, "Wait", remaining: i);
            Assert.Equal(ErrorKind.DeadlineExceeded, (await worker.ExpectErrorAsync((ulong)i)).Kind);
        }
    }

    [Fact]
    public async Task A_deadline_travels_and_one_that_has_passed_starts_no_code()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Remaining");
        worker.Call(2, "Remaining", remaining: 60_000);
        worker.Call(3, "Exit", """{"code":9}""", remaining: 0);
        Assert.Equal("-1", (await worker.ExpectResultAsync(1)).Text);
        Assert.InRange(int.Parse((await worker.ExpectResultAsync(2)).Text), 30_000, 60_000);
        Assert.Equal(ErrorKind.DeadlineExceeded, (await worker.ExpectErrorAsync(3)).Kind);
    }

    // ---- output

    [Fact]
    public async Task What_is_printed_is_captured_and_what_is_logged_travels_with_its_call()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Add", """{"a":1,"b":2}""");
        worker.Call(2, "Print", """{"text":"a line 水"}""");
        await worker.ExpectResultAsync(1);
        await worker.ExpectResultAsync(2);
        await worker.SettleControlAsync();
        Assert.True(await ProcFiles.EventuallyAsync(() => worker.Output.Lines.Count(static line => line.Text == "a line 水") == 2, TimeSpan.FromSeconds(60)));
        Assert.Equal([OutputStream.Standard, OutputStream.Error], worker.Output.Lines.Where(static line => line.Text == "a line 水").Select(static line => line.Stream).Order());
        var at = worker.Logged.FindIndex(static one => one.Message == "logged a line 水");
        Assert.True(at >= 0, string.Join('\n', worker.Logged));
        Assert.Equal((3, "compliance", 2ul), (worker.Logged[at].Level, worker.Logged[at].Category, worker.LoggedIn[at]));
    }

    [Fact]
    public async Task Records_below_the_level_of_HELLO_are_not_sent()
    {
        await using var worker = await StartAsync(LiveWorker.Hello(leastLogLevel: 4));
        worker.Call(1, "Print", """{"text":"quiet"}""");
        await worker.ExpectResultAsync(1);
        await worker.SettleControlAsync();
        Assert.Empty(worker.Logged);
    }

    // ---- jobs

    [Fact]
    public async Task A_job_is_known_to_its_code_and_its_progress_to_the_host()
    {
        await using var worker = await StartJobsAsync();
        worker.Call(1, "Report", """{"times":1}""", wished: ResultEncoding.Raw, context: Job);
        Assert.Equal("019a 2 5 k", (await worker.ExpectResultAsync(1)).Text);
        Assert.Equal([(1ul, new ProgressPayload(1, "1 of 1"))], await ProgressAsync(worker));

        worker.Call(2, "Report", """{"times":1}""", wished: ResultEncoding.Raw);
        Assert.Equal("direct", (await worker.ExpectResultAsync(2)).Text);
        Assert.Empty(await ProgressAsync(worker));
    }

    [Fact]
    public async Task A_job_that_reports_a_hundred_thousand_times_sends_few_reports_and_the_last_one_before_its_result()
    {
        await using var worker = await StartJobsAsync();
        var start = TimeProvider.System.GetTimestamp();
        worker.Call(1, "Report", """{"times":100000}""", context: Job);
        await worker.ExpectResultAsync(1);
        var took = TimeProvider.System.GetElapsedTime(start);
        var sent = await ProgressAsync(worker);

        // The first and the last, ten a second between them, and a timer may be early. A thread that sends may come late.
        Assert.InRange(sent.Count, 1, 4 + (int)(took.TotalSeconds * 11));
        Assert.Equal((1ul, new ProgressPayload(1, "100000 of 100000")), sent[^1]);
        Assert.Equal(sent.Select(static one => one.Progress.Fraction).Order(), sent.Select(static one => one.Progress.Fraction));
    }

    [Fact]
    public async Task A_report_is_sent_while_code_runs_that_reports_nothing_more()
    {
        await using var worker = await StartJobsAsync();
        worker.Call(1, "ReportAndSpin", context: Job);
        await worker.ExpectAsync(FrameType.Started, 1);
        LiveWorker.Received frame;
        do
        {
            frame = await worker.NextControlAsync();
            Assert.Equal((FrameType.Progress, 1ul), (frame.Type, frame.CallId));
        }
        while (ProgressPayload.Read(frame.Payload) != new ProgressPayload(0.5, "spins"));

        worker.Cancel(1);
        await worker.ExpectAsync(FrameType.Error, 1);
    }

    [Fact]
    public async Task A_report_beyond_its_limits_is_cut_to_them()
    {
        await using var worker = await StartJobsAsync();
        worker.Call(1, "Report", """{"times":-1}""", context: Job);
        await worker.ExpectResultAsync(1);
        Assert.Equal([(1ul, new ProgressPayload(1, new string('x', 200)))], await ProgressAsync(worker));
    }

    [Fact]
    public async Task A_host_that_does_not_accept_progress_gets_none()
    {
        await using var worker = await StartJobsAsync(Capabilities.CallContext);
        worker.Call(1, "Report", """{"times":10}""", wished: ResultEncoding.Raw, context: Job);
        Assert.Equal("019a 2 5 k", (await worker.ExpectResultAsync(1)).Text);
        Assert.Empty(await ProgressAsync(worker));
    }

    // ---- a host that breaks the protocol

    public static TheoryData<string, bool, string> Hostile => new()
    {
        // name, on the data channel, the frame
        { "UnknownType", true, "00 00 00 00 c8 00 00 00 01 00 00 00 00 00 00 00" },
        { "UnknownType", false, "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00" },
        { "UnknownType", false, "08 00 00 00 13 00 00 00 05 00 00 00 00 00 00 00 08 00 00 00 00 00 00 00" },
        { "WrongRoute", true, "00 00 00 00 06 00 00 00 01 00 00 00 00 00 00 00" },
        { "WrongRoute", false, "18 00 00 00 01 00 00 00 01 00 00 00 00 00 00 00" },
        { "WrongRoute", false, "0c 00 00 00 1b 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00" },
        { "UnknownFlag", true, "18 00 00 00 01 01 00 00 01 00 00 00 00 00 00 00" },
        { "ReservedBits", false, "08 00 00 00 15 00 01 00 00 00 00 00 00 00 00 00" },
        { "CallId", true, "18 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00" },
        { "CallId", false, "08 00 00 00 15 00 00 00 01 00 00 00 00 00 00 00" },
        { "PayloadTooLong", true, "ff ff ff ff 01 00 00 00 01 00 00 00 00 00 00 00" },
        { "PayloadTooLong", false, "09 00 00 00 15 00 00 00 00 00 00 00 00 00 00 00" },
        { "PayloadTooShort", true, "17 00 00 00 01 00 00 00 01 00 00 00 00 00 00 00" },
        { "PayloadTooShort", false, "00 00 00 00 12 00 00 00 01 00 00 00 00 00 00 00" },

        // an operation that is not served; a reserved field; an encoding, a part and a deadline that are not assigned; a part that is cut; two JSON parts
        { "MalformedPayload", true, Call("ff ff 00 00 00 00 00 00 ff ff ff ff ff ff ff ff 00 00 00 00 00 00 00 00") },
        { "MalformedPayload", true, Call("00 00 00 01 00 00 00 00 ff ff ff ff ff ff ff ff 00 00 00 00 00 00 00 00") },
        { "MalformedPayload", true, Call("00 00 07 00 00 00 00 00 ff ff ff ff ff ff ff ff 00 00 00 00 00 00 00 00") },
        { "MalformedPayload", true, Call("00 00 00 00 00 00 00 00 fe ff ff ff ff ff ff ff 00 00 00 00 00 00 00 00") },
        { "MalformedPayload", true, Call("00 00 00 00 00 00 00 00 ff ff ff ff ff ff ff ff 00 00 00 00 01 00 00 00 02 00 00 00 00 00 00 00") },
        { "MalformedPayload", true, Call("00 00 00 00 00 00 00 00 ff ff ff ff ff ff ff ff 00 00 00 00 01 00 00 00 00 00 00 00 02 00 00 00 7b") },
        { "MalformedPayload", true, Call("00 00 00 00 00 00 00 00 ff ff ff ff ff ff ff ff 00 00 00 00 02 00 00 00 00 00 00 00 02 00 00 00 7b 7d 00 00 00 00 02 00 00 00 7b 7d") },
        { "MalformedPayload", true, Call("00 00 00 00 00 00 00 00 ff ff ff ff ff ff ff ff 00 00 00 00 01 00 00 00 01 00 ff ff 00 00 00 00") },
        { "MalformedPayload", true, Call("00 00 00 00 00 00 00 00 ff ff ff ff ff ff ff ff 00 00 00 00 00 00 00 00 00") },
        { "MalformedPayload", false, "04 00 00 00 05 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00" },

        { "SequenceGap", true, "18 00 00 00 01 00 00 00 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ff ff ff ff ff ff ff ff 00 00 00 00 00 00 00 00" },
        { "UnexpectedFrame", false, "1c 00 00 00 10 00 00 00 00 00 00 00 00 00 00 00 01 00 01 00 00 00 00 00 00 00 00 04 02 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00" },
        { "UnexpectedFrame", false, "01 00 00 00 12 00 00 00 01 00 01 00 00 00 00 00 01" },
        { "UnexpectedFrame", true, "00 00 00 00 03 00 00 00 01 00 00 00 00 00 00 00" },
    };

    [Theory]
    [MemberData(nameof(Hostile))]
    public async Task A_host_that_breaks_the_protocol_is_told_the_rule_and_left(string name, bool onData, string frame)
    {
        await using var worker = await StartAsync();
        var bytes = Convert.FromHexString(frame.Replace(" ", "", StringComparison.Ordinal));
        if (onData)
        {
            worker.DataBytes(bytes);
        }
        else
        {
            worker.ControlBytes(bytes);
        }

        var bye = await worker.ExpectByeAsync();
        Assert.Equal(ByeReason.ProtocolViolation, bye.Reason);
        Assert.StartsWith(name, bye.Message, StringComparison.Ordinal);
        Assert.Equal(2, (await worker.ExitAsync()).ExitCode);
    }

    [Fact]
    public async Task Credit_beyond_a_gigabyte_is_refused()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Count", """{"n":2000000000}""", credit: 1);
        await worker.ExpectAsync(FrameType.Started, 1);
        await worker.ExpectAsync(FrameType.Item, 1);
        worker.Grant(1, 1 << 30);
        worker.Grant(1, 1 << 30);
        var bye = await worker.ExpectByeAsync();
        Assert.Contains("CreditOverflow", bye.Message, StringComparison.Ordinal);
        Assert.Equal(2, (await worker.ExitAsync()).ExitCode);
    }

    // ---- ends

    [Theory]
    [InlineData("Spin")]
    [InlineData("WaitLater")]
    public async Task The_end_of_the_control_channel_ends_the_process_at_once_also_while_code_runs(string operation)
    {
        await using var worker = await StartAsync();
        worker.Call(1, operation);
        await worker.ExpectAsync(FrameType.Started, 1);
        worker.EndControl();
        Assert.NotEqual(0, (await worker.ExitAsync()).ExitCode);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("WaitLater")]
    public async Task The_end_of_the_data_channel_ends_the_process_at_once(string? operation)
    {
        await using var worker = await StartAsync();
        if (operation is not null)
        {
            worker.Call(1, operation);
            await worker.ExpectAsync(FrameType.Started, 1);
        }

        worker.EndData();
        Assert.NotEqual(0, (await worker.ExitAsync()).ExitCode);
    }

    [Fact]
    public async Task A_worker_that_ends_itself_says_nothing_and_its_exit_code_stays()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Exit", """{"code":7}""");
        await worker.ExpectAsync(FrameType.Started, 1);
        Assert.Null(await worker.TryNextDataAsync());
        Assert.Equal(7, (await worker.ExitAsync()).ExitCode);
    }

    [Fact]
    public async Task A_worker_that_is_out_of_memory_never_goes_on()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Exhaust");
        await worker.ExpectAsync(FrameType.Started, 1);
        if (TellsOfMemory)
        {
            Assert.Equal(ErrorKind.OutOfMemory, ErrorPayload.Read((await worker.ExpectAsync(FrameType.Error, 1)).Payload).Kind);
            Assert.Equal(ByeReason.OutOfMemory, (await worker.ExpectByeAsync()).Reason);
        }

        Assert.Null(await worker.TryNextDataAsync());
        var exit = await worker.ExitAsync();
        Assert.Equal(TellsOfMemory ? (4, null) : (null, 6), (exit.ExitCode, exit.Signal));
    }

    [Fact]
    public async Task A_grandchild_does_not_hide_the_death_of_its_worker()
    {
        await using var worker = await StartAsync();
        worker.Call(1, "Spawn");
        var grandchild = int.Parse((await worker.ExpectResultAsync(1)).Text);
        try
        {
            Assert.Equal(0, Signals.Send(worker.ProcessId, Signals.Kill));
            Assert.Null(await worker.TryNextDataAsync().WithinAsync(60));
        }
        finally
        {
            _ = Signals.Send(grandchild, Signals.Kill);
        }
    }

    [Fact]
    public async Task A_worker_dies_with_its_host_though_its_channels_are_open()
    {
        // A shell stands for the host: its child, the worker, has the test's channels, and the shell is killed.
        var program = Program;
        var own = $"{Environment.ProcessId}";
        var command = string.Join(' ', program.Arguments.Prepend(program.FileName).Select(one => one == own ? "$$" : $"'{one}'"));
        await using var worker = await LiveWorker.LaunchAsync(new WorkerProgram("/bin/sh", ["-c", $"{command} & wait"], program.Environment), Service);
        worker.Control(Usual.Write);
        var pid = worker.Accept(await worker.NextControlAsync()).ProcessId;
        Assert.NotEqual(worker.ProcessId, pid);
        worker.Call(1, "Spin");
        await worker.ExpectAsync(FrameType.Started, 1);

        Assert.Equal(0, Signals.Send(worker.ProcessId, Signals.Kill));
        Assert.True(await ProcFiles.EventuallyAsync(() => !ProcFiles.IsRunning(pid), TimeSpan.FromSeconds(60)));
    }

    private static CallContext Job { get; } = new()
    {
        Items = [.. new[] { ("id", "019a0000-0000-7000-8000-000000000001"), ("attempt", "2"), ("fence", "5"), ("due", "2026-01-02T03:04:05.0000000+00:00"), ("key", "k") }.Select(static item => KeyValuePair.Create($"weir.job.{item.Item1}", item.Item2))],
    };

    // A worker without jobs says so, and is asked nothing more.
    private async Task<LiveWorker> StartJobsAsync(Capabilities offered = Capabilities.CallContext | Capabilities.Progress)
    {
        var worker = await LiveWorker.LaunchAsync(Program, Service);
        try
        {
            worker.Control(LiveWorker.Hello(capabilities: offered).Write);
            Assert.Equal(HasJobs ? offered : Capabilities.None, worker.Accept(await worker.NextControlAsync()).Capabilities);
            Assert.SkipUnless(HasJobs, "It has no jobs.");
            return worker;
        }
        catch
        {
            await worker.DisposeAsync();
            throw;
        }
    }

    /// <summary>The reports that the worker has sent until now.</summary>
    private static async Task<List<(ulong CallId, ProgressPayload Progress)>> ProgressAsync(LiveWorker worker)
    {
        worker.Ping(98);
        var sent = new List<(ulong, ProgressPayload)>();
        while (await worker.NextControlAsync() is var frame && frame.Type != FrameType.Pong)
        {
            Assert.Equal(FrameType.Progress, frame.Type);
            sent.Add((frame.CallId, ProgressPayload.Read(frame.Payload)));
        }

        return sent;
    }

    private static string Call(string payload) => $"{payload.Split(' ').Length:x2} 00 00 00 01 00 00 00 01 00 00 00 00 00 00 00 {payload}";

    private static async Task<(string Text, FrameFlags Flags)> TextAndFlagsAsync(LiveWorker worker, ulong id)
    {
        var result = await worker.ExpectResultAsync(id);
        return (result.Text, result.Flags);
    }

    private static async Task AssertStartFailedAsync(LiveWorker worker, string phase, string message)
    {
        var ready = await worker.NextControlAsync();
        Assert.Equal((FrameType.Ready, FrameFlags.Failed), (ready.Type, ready.Flags));
        var failure = StartFailure.Read(ready.Payload);
        Assert.Equal(phase, failure.Phase);
        Assert.Contains(message, failure.Message, StringComparison.Ordinal);
        Assert.NotEmpty(failure.ExceptionType);
        Assert.Equal(ByeReason.StartFailed, (await worker.ExpectByeAsync()).Reason);
        Assert.Equal(1, (await worker.ExitAsync()).ExitCode);
    }

    private protected static async Task AssertReturnedAsync(LiveWorker worker, ulong first, ulong last)
    {
        var returned = await worker.NextControlAsync();
        Assert.Equal((FrameType.Returned, first, last), (returned.Type, returned.CallId, ReturnedPayload.Read(returned.Payload).Last));
    }

    private static async Task AssertLeavesAsync(LiveWorker worker)
    {
        Assert.Null(await worker.TryNextDataAsync());
        Assert.Equal(ByeReason.Drained, (await worker.ExpectByeAsync()).Reason);
        Assert.Equal(0, (await worker.ExitAsync()).ExitCode);
    }
}
