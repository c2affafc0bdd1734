using System.Diagnostics;
using System.Security.Claims;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Tests.Worker;

public sealed class CallTests
{
    [Fact]
    public void A_synchronous_call_sends_STARTED_runs_on_the_data_thread_and_sends_its_result()
    {
        Thread? ranOn = null;
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((call, _) =>
        {
            ranOn = Thread.CurrentThread;
            return call.Text + call.Data.Length;
        }));

        host.Call(1, 0, "a", new byte[5000]);
        var result = host.ExpectResult(1);

        Assert.Equal((FrameFlags.None, "\"a5000\""), (result.Flags, result.Text));
        Assert.Same(host.DataThread, ranOn);
    }

    [Fact]
    public void A_value_that_one_call_sets_in_its_execution_context_is_not_visible_to_the_next()
    {
        var local = new AsyncLocal<string>();
        (string? Flow, SynchronizationContext? Context)? seen = null;
        using var host = ScriptedHost.Ready(new TestCatalog()
            .Nothing(() =>
            {
                local.Value = "the first one's";
                SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
            })
            .Nothing(() => seen = (local.Value, SynchronizationContext.Current)));

        host.Call(1, 0);
        host.ExpectResult(1);
        host.Call(2, 1);
        host.ExpectResult(2);

        Assert.Equal((null, null), seen);
    }

    [Fact]
    public void STARTED_is_sent_before_the_operation_runs()
    {
        using var entered = new Gate();
        using var go = new Gate();
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) =>
        {
            entered.Open();
            go.Pass();
            return "";
        }));

        host.Call(1, 0);
        host.ExpectData(FrameType.Started, 1);
        entered.Pass();
        go.Open();
        host.ExpectData(FrameType.Result, 1);
    }

    [Fact]
    public void Calls_follow_each_other_in_order()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((call, _) => call.Text).Async((call, _) => new ValueTask<string?>(call.Text)));
        for (ulong id = 1; id <= 100; id++)
        {
            host.Call(id, (int)(id % 2), $"{id}");
        }

        for (ulong id = 1; id <= 100; id++)
        {
            Assert.Equal($"\"{id}\"", host.ExpectResult(id).Text);
        }
    }

    [Fact]
    public void Text_is_sent_raw_if_requested_and_null_is_not()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((call, _) => call.Text == "null" ? null : call.Text));

        host.Call(1, 0, "hello", encoding: ResultEncoding.Raw);
        var raw = host.ExpectResult(1);
        Assert.Equal((FrameFlags.Raw, "hello"), (raw.Flags, raw.Text));

        host.Call(2, 0, "null", encoding: ResultEncoding.Raw);
        var json = host.ExpectResult(2);
        Assert.Equal((FrameFlags.None, "null"), (json.Flags, json.Text));
    }

    [Fact]
    public void A_value_that_is_neither_text_nor_bytes_is_always_JSON()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) => "v", ResultKind.Value));
        host.Call(1, 0, encoding: ResultEncoding.Raw);
        Assert.Equal(FrameFlags.None, host.ExpectResult(1).Flags);
    }

    [Fact]
    public void The_response_head_that_an_operation_sets_is_sent_before_its_result()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync(Choose, usesContext: true), Capabilities.ResponseHeads);
        host.Call(1, 0, encoding: ResultEncoding.Raw);

        var result = host.ExpectResult(1);
        var head = ResponseHead.Read(FrameType.Result, result.Payload, out var length);
        Assert.Equal(FrameFlags.Raw | FrameFlags.Head, result.Flags);
        Assert.Equal(201, head.Status);
        Assert.Equal([new("X-A", "b")], head.Headers);
        Assert.Equal("v"u8, result.Payload.AsSpan(length));
    }

    [Fact]
    public void A_job_tells_its_host_how_far_it_is_before_its_result_and_a_direct_call_has_no_job()
    {
        JobContext? kept = null;
        using var host = ScriptedHost.Ready(new TestCatalog().Sync(Work, usesContext: true), Capabilities.CallContext | Capabilities.Progress);
        var id = Guid.NewGuid();
        host.Data(frames => WriteJob(frames, 1, id));
        Assert.Equal($"\"{id} 3 5 k\"", host.ExpectResult(1).Text);
        var progress = host.ExpectControl(FrameType.Progress);
        Assert.Equal((1ul, new ProgressPayload(0.25, "begins")), (progress.CallId, ProgressPayload.Read(progress.Payload)));
        var last = host.ExpectControl(FrameType.Progress);
        Assert.Equal((1ul, new ProgressPayload(1, "")), (last.CallId, ProgressPayload.Read(last.Payload)));

        // What is kept of it is silent, also while the next call runs.
        kept!.Report(0.5);
        host.Call(2, 0);
        Assert.Equal("\"direct\"", host.ExpectResult(2).Text);
        host.Control(static w => new PingPayload(1).Write(w, FrameType.Ping));
        host.ExpectControl(FrameType.Pong);

        string Work(TestCall call, CancellationToken token)
        {
            if (call.Context!.Job is not { } job)
            {
                kept!.Report(0.5);
                return "direct";
            }

            kept = job;
            job.Report(0.25, "begins");
            job.Report(double.NaN);
            job.Report(7);
            return $"{job.Id} {job.Attempt} {job.Fence} {job.Key}";
        }
    }

    [Fact]
    public void Progress_is_dropped_where_the_host_does_not_accept_it()
    {
        using var host = ScriptedHost.Ready(
            new TestCatalog().Sync(
                (call, _) =>
                {
                    call.Context!.Job!.Report(0.5);
                    return "done";
                },
                usesContext: true),
            Capabilities.CallContext);
        host.Data(static frames => WriteJob(frames, 1, Guid.NewGuid()));
        Assert.Equal("\"done\"", host.ExpectResult(1).Text);
        host.Control(static w => new PingPayload(1).Write(w, FrameType.Ping));
        host.ExpectControl(FrameType.Pong);
    }

    private static void WriteJob(FrameWriter frames, ulong callId, Guid id)
    {
        var items = new Dictionary<object, object?>();
        new JobContext(id, 3, 5) { Key = "k" }.WriteTo(items);
        var call = CallWriter.Begin(frames, callId, new CallFields(0, Context: new CallContext { Items = [.. items.Select(static item => KeyValuePair.Create((string)item.Key, (string)item.Value!))] }));
        call.BeginPart(PartKind.Json);
        frames.Write("""{"text":"x"}"""u8);
        call.EndPart();
        call.End();
    }

    [Fact]
    public void Items_and_a_culture_that_the_worker_knows_are_around_the_call_and_no_other_call()
    {
        using var host = ScriptedHost.Ready(
            new TestCatalog().Sync((call, _) => $"{System.Globalization.CultureInfo.CurrentCulture.Name}/{call.Context!.Items.Count}/{(call.Context.Items.TryGetValue("tenant", out var tenant) ? tenant : "")}", usesContext: true),
            Capabilities.CallContext);
        Send(1, new CallContext { Culture = "", UICulture = "", Items = [new("tenant", "a")] });
        Assert.Equal("\"/1/a\"", host.ExpectResult(1).Text);
        Send(2, null);
        Assert.Equal("\"/0/\"", host.ExpectResult(2).Text);

        void Send(ulong id, CallContext? context) => host.Data(frames =>
        {
            var call = CallWriter.Begin(frames, id, new CallFields(0, Context: context));
            call.BeginPart(PartKind.Json);
            frames.Write("""{"text":"x"}"""u8);
            call.EndPart();
            call.End();
        });
    }

    [Fact]
    public void A_call_has_the_caller_that_was_sent_with_it_and_no_other_call_has_it()
    {
        using var host = ScriptedHost.Ready(
            new TestCatalog().Sync((call, _) => call.Context!.User is { } user ? $"{user.Identity?.Name} {user.Identity?.IsAuthenticated}" : "none", usesContext: true),
            Capabilities.Caller);
        Send(1, CallerPayload.Write(new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Name, "ann")], "test"))));
        Assert.Equal("\"ann True\"", host.ExpectResult(1).Text);
        Send(2, null);
        Assert.Equal("\"none\"", host.ExpectResult(2).Text);

        void Send(ulong id, byte[]? caller) => host.Data(frames =>
        {
            var call = CallWriter.Begin(frames, id, new CallFields(0, Caller: caller));
            call.BeginPart(PartKind.Json);
            frames.Write("""{"text":"x"}"""u8);
            call.EndPart();
            call.End();
        });
    }

    [Fact]
    public void A_response_head_is_an_error_if_the_host_does_not_support_it()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync(Choose, usesContext: true));
        host.Call(1, 0);
        Assert.Contains("its host does not accept them from a worker", host.ExpectError(1).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void An_operation_without_a_result_sends_no_value()
    {
        var ran = false;
        using var host = ScriptedHost.Ready(new TestCatalog().Nothing(() => ran = true));
        host.Call(1, 0);
        Assert.Equal(FrameFlags.NoValue, host.ExpectResult(1).Flags);
        Assert.True(ran);
    }

    [Fact]
    public void A_failure_has_type_message_stack_and_inner_exceptions()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) => throw new InvalidOperationException("no", new FormatException("because"))));
        host.Call(1, 0);
        var error = host.ExpectError(1);

        Assert.Equal((ErrorKind.HandlerFailed, "System.InvalidOperationException", "no"), (error.Kind, error.TypeName, error.Message));
        Assert.Contains("System.FormatException: because", error.Stack);
        Assert.Contains(nameof(A_failure_has_type_message_stack_and_inner_exceptions), error.Stack);
        Assert.DoesNotContain("InvalidOperationException: no", error.Stack);
    }

    [Fact]
    public void An_exception_that_throws_while_it_is_described_is_a_failure_like_any_other()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) => throw new HostileException()));
        host.Call(1, 0);
        Assert.Contains("while its text was created", host.ExpectError(1).Message);
    }

    [Fact]
    public void A_status_set_by_the_operation_is_sent()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) => throw new OperationStatusException(409, "taken")));
        host.Call(1, 0);
        var error = host.ExpectError(1);
        Assert.Equal((ErrorKind.OperationStatus, 409, "taken"), (error.Kind, error.Status, error.Message));
    }

    [Fact]
    public void Arguments_that_do_not_bind_are_answered_with_their_binding_errors_and_nothing_runs()
    {
        var ran = false;
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) =>
        {
            ran = true;
            return "";
        }));
        host.Call(1, 0, text: null);
        var error = host.ExpectError(1);

        Assert.Equal(ErrorKind.BadArguments, error.Kind);
        var fault = Assert.Single(error.BindingErrors);
        Assert.Equal(("text", BindingErrorReason.Missing), (fault.Name, fault.Reason));
        Assert.False(ran);
    }

    [Fact]
    public void A_result_longer_than_the_host_reads_is_an_error_with_both_lengths()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) => new string('x', 2000)), mostPayload: 1000);
        host.Call(1, 0, encoding: ResultEncoding.Raw);
        var error = host.ExpectError(1);
        Assert.Equal((ErrorKind.PayloadTooLarge, 2000ul, 1000ul), (error.Kind, error.Length, error.Limit));
        host.Call(2, 0);
        Assert.Equal(ErrorKind.PayloadTooLarge, host.ExpectError(2).Kind);
    }

    [Fact]
    public void Raw_arguments_of_a_call_on_the_thread_pool_stay_intact_while_more_is_read()
    {
        using var go = new Gate();
        using var host = ScriptedHost.Ready(
            new TestCatalog().Async(async (call, _) =>
            {
                await go.PassAsync();
                return Convert.ToHexString(call.Data.Span);
            }),
            Capabilities.Concurrent);

        host.Call(1, 0, data: [1, 2, 3]);
        host.ExpectData(FrameType.Started, 1);
        host.Call(2, 0, data: new byte[100_000]);
        host.ExpectData(FrameType.Started, 2);
        go.Open();

        var results = new[] { host.NextData(), host.NextData() };
        Assert.Equal("\"010203\"", results.Single(r => r.CallId == 1).Text);
    }

    [Fact]
    public void Without_CONCURRENT_the_second_call_starts_when_the_first_has_ended()
    {
        var first = new TaskCompletionSource<string?>();
        using var host = ScriptedHost.Ready(new TestCatalog().Async((call, _) => call.Text == "1" ? new(first.Task) : new("two")));
        host.Call(1, 0, "1");
        host.Call(2, 0, "2");
        host.ExpectData(FrameType.Started, 1);
        host.SettleControl();
        first.SetResult("one");
        Assert.Equal("\"one\"", host.ExpectData(FrameType.Result, 1).Text);
        Assert.Equal("\"two\"", host.ExpectResult(2).Text);
    }

    [Fact]
    public void With_CONCURRENT_calls_may_overtake_each_other_including_synchronous_ones()
    {
        using var go = new Gate();
        using var host = ScriptedHost.Ready(
            new TestCatalog().Sync((call, _) =>
            {
                if (call.Text == "1")
                {
                    go.Pass();
                }

                return call.Text;
            }),
            Capabilities.Concurrent);

        host.Call(1, 0, "1");
        host.Call(2, 0, "2");
        host.ExpectData(FrameType.Started, 1);
        host.ExpectData(FrameType.Started, 2);
        host.ExpectData(FrameType.Result, 2);
        go.Open();
        host.ExpectData(FrameType.Result, 1);
    }

    [Fact]
    public void The_callers_trace_continues_inside_the_call()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) => Activity.Current?.ParentId));
        host.Call(1, 0, trace: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", encoding: ResultEncoding.Raw);
        Assert.Equal("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", host.ExpectResult(1).Text);
        host.Call(2, 0);
        Assert.Equal("null", host.ExpectResult(2).Text);
    }

    [Fact]
    public void A_value_left_in_an_AsyncLocal_is_not_visible_to_the_next_call()
    {
        var local = new AsyncLocal<string?>();
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((call, _) =>
        {
            var before = local.Value;
            local.Value = call.Text;
            return before;
        }));
        host.Call(1, 0, "secret");
        host.ExpectResult(1);
        host.Call(2, 0);
        Assert.Equal("null", host.ExpectResult(2).Text);
    }

    [Fact]
    public void Out_of_memory_ends_the_worker_after_it_has_reported_the_call()
    {
#pragma warning disable CA2201 // The exception of the runtime, without a real shortage of memory.
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) => throw new AggregateException(new OutOfMemoryException())));
#pragma warning restore CA2201
        host.Call(1, 0);
        Assert.Equal(ErrorKind.OutOfMemory, host.ExpectError(1).Kind);
        Assert.Equal(ByeReason.OutOfMemory, ByePayload.Read(host.ExpectControl(FrameType.Bye).Payload).Reason);
        Assert.Equal("abort 4", host.End.Wait());
    }

    private sealed class HostileException : Exception
    {
        public override string Message => throw new NotSupportedException();

        public override string StackTrace => throw new NotSupportedException();
    }

    private static string? Choose(TestCall call, CancellationToken cancellationToken)
    {
        call.Context!.StatusCode = 201;
        call.Context.Headers["X-A"] = "b";
        return "v";
    }
}
