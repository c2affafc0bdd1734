using System.Globalization;
using Microsoft.Extensions.Logging;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;
using Weir.Worker.Channels;

namespace Weir.Tests.Worker;

public sealed class LifeTests
{
    [Fact]
    public void READY_lists_the_operations_of_the_pool_and_no_others()
    {
        var catalog = new TestCatalog().Sync((_, _) => "").Sync((_, _) => "", pool: "other").Sync((_, _) => "", pool: null).Stream(_ => throw new NotSupportedException());
        using var host = new ScriptedHost(catalog);
        host.Control(new HelloPayload { Pool = "TESTS", CatalogIdentity = CatalogIdentity.Of([catalog]) }.Write);
        var ready = ReadyPayload.Read(host.ExpectControl(FrameType.Ready).Payload);

        Assert.Equal([new("Test/Op0", 0x100), new("Test/Op3", 0x103)], ready.Operations);
        Assert.Equal((1, Capabilities.None, Environment.ProcessId), (ready.Version, ready.Capabilities, ready.ProcessId));
        Assert.Equal("Tests:0f8fad5bd9cb469fa16570867728950e", ready.CatalogIdentity);
    }

    [Fact]
    public void A_worker_chooses_only_the_offered_capabilities_that_it_has()
    {
        using var host = new ScriptedHost(new TestCatalog().Sync((_, _) => ""));
        host.Control(new HelloPayload { Pool = TestCatalog.Pool, Capabilities = (Capabilities)uint.MaxValue }.Write);
        const Capabilities Chosen = Capabilities.Concurrent | Capabilities.RequestStreams | Capabilities.ResponseHeads | Capabilities.CallContext | Capabilities.Progress | Capabilities.Content | Capabilities.Caller | Capabilities.SharedData;
        Assert.Equal(Chosen, ReadyPayload.Read(host.ExpectControl(FrameType.Ready).Payload).Capabilities);
    }

    [Fact]
    public void Draining_an_idle_worker_hands_back_nothing_sends_BYE_after_the_end_of_the_data_channel_and_exits()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) => ""));
        host.Call(1, 0);
        host.ExpectResult(1);
        host.Drain(1);

        var returned = host.ExpectControl(FrameType.Returned);
        Assert.Equal((2ul, 1ul), (returned.CallId, ReturnedPayload.Read(returned.Payload).Last));
        Assert.Equal(ByeReason.Drained, ByePayload.Read(host.ExpectControl(FrameType.Bye).Payload).Reason);
        Assert.True(host.DataUp.Ended);
        host.ExpectDataEnd();
        Assert.Equal("exit 0", host.End.Wait());
    }

    [Fact]
    public void Draining_before_any_call_names_none()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) => ""));
        host.Drain(0);
        var returned = host.ExpectControl(FrameType.Returned);
        Assert.Equal((1ul, 0ul), (returned.CallId, ReturnedPayload.Read(returned.Payload).Last));
        Assert.Equal("exit 0", host.End.Wait());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void Draining_finishes_started_calls_and_hands_back_the_rest_read_or_unread(int operation)
    {
        using var go = new Gate();
        using var host = ScriptedHost.Ready(new TestCatalog()
            .Sync((_, _) =>
            {
                go.Pass();
                return "first";
            })
            .Async(async (_, _) =>
            {
                await go.PassAsync();
                return "first";
            }));
        host.Call(1, operation);
        host.Call(2, operation);
        host.ExpectData(FrameType.Started, 1);
        host.Drain(4);

        var returned = host.ExpectControl(FrameType.Returned);
        Assert.Equal((2ul, 4ul), (returned.CallId, ReturnedPayload.Read(returned.Payload).Last));
        host.Call(3, operation);
        host.Call(4, operation);
        go.Open();
        Assert.Equal("\"first\"", host.ExpectData(FrameType.Result, 1).Text);
        host.ExpectDataEnd();
        host.ExpectControl(FrameType.Bye);
        Assert.Equal("exit 0", host.End.Wait());
    }

    [Fact]
    public void Draining_fires_Stopping_and_disposes_the_services_before_BYE()
    {
        var services = new TestServices();
        WorkerStartup? startup = null;
        using var host = ScriptedHost.Ready(new TestCatalog
        {
            NeedsServices = true,
            WorkerServices = s =>
            {
                startup = s;
                return services;
            },
        }.Sync((_, _) => ""));
        Assert.False(startup!.Stopping.IsCancellationRequested);
        host.Drain(0);
        host.ExpectControl(FrameType.Returned);
        host.ExpectControl(FrameType.Bye);
        Assert.True(startup.Stopping.IsCancellationRequested);
        Assert.True(services.Disposed);
    }

    [Fact]
    public void A_service_that_fails_to_be_disposed_is_logged_and_does_not_prevent_the_shutdown()
    {
        using var host = ScriptedHost.Ready(new TestCatalog { NeedsServices = true, WorkerServices = _ => new TestServices { DisposeFails = true } }.Sync((_, _) => ""));
        host.Drain(0);
        host.ExpectControl(FrameType.Returned);
        Assert.Contains("services stuck", LogPayload.Read(host.ExpectControl(FrameType.Log).Payload).Exception);
        host.ExpectControl(FrameType.Bye);
        Assert.Equal("exit 0", host.End.Wait());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void The_end_of_either_channel_ends_the_worker_at_once_while_a_call_runs(bool control)
    {
        using var go = new Gate();
        using var host = ScriptedHost.Ready(new TestCatalog().Async(async (_, _) =>
        {
            await go.PassAsync();
            return "";
        }));
        host.Call(1, 0);
        host.ExpectData(FrameType.Started, 1);
        (control ? host.ControlDown : host.DataDown).End();
        Assert.Equal("abort 3", host.End.Wait());
        go.Open();
    }

    [Fact]
    public void The_end_of_control_before_HELLO_ends_the_worker()
    {
        using var host = new ScriptedHost(new TestCatalog());
        host.ControlDown.End();
        Assert.Equal("abort 3", host.End.Wait());
    }

    [Fact]
    public void A_host_that_reads_no_results_any_more_ends_the_worker()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) => ""));
        host.DataUp.End();
        host.Call(1, 0);
        Assert.Equal("abort 3", host.End.Wait());
    }

    public static TheoryData<string, bool, byte[]> Violations
    {
        get
        {
            var call = Protocol.Samples.Named("call-empty").Bytes();
            byte[] wrongOperation = [.. call], secondCall = [.. call];
            wrongOperation[16] = 9;
            secondCall[8] = 2;
            return new()
            {
                { "UnknownType", true, [0, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0] },
                { "WrongRoute", false, call },
                { "WrongRoute", true, Protocol.Samples.Named("started").Bytes() },
                { "MalformedPayload", true, wrongOperation },
                { "SequenceGap", true, secondCall },
                { "UnexpectedFrame", true, Protocol.Samples.Named("item-json").Bytes() },
                { "UnexpectedFrame", false, Protocol.Samples.Named("hello").Bytes() },
                { "UnknownType", false, [8, 0, 0, 0, 19, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0] },
                { "ReservedBits", false, [0, 0, 0, 0, 23, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0] },
                { "MalformedPayload", false, [4, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] },
            };
        }
    }

    [Theory]
    [MemberData(nameof(Violations))]
    public void A_host_that_breaks_the_protocol_is_sent_the_reason_and_the_worker_ends(string fault, bool data, byte[] bytes)
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) => ""));
        Assert.True((data ? host.DataDown : host.ControlDown).Write(bytes));
        var bye = ByePayload.Read(host.ExpectControl(FrameType.Bye).Payload);
        Assert.Equal(ByeReason.ProtocolViolation, bye.Reason);
        Assert.StartsWith(fault + ": ", bye.Message);
        Assert.Equal("abort 2", host.End.Wait());
    }

    [Fact]
    public void A_raw_part_for_a_parameter_that_does_not_exist_is_a_violation()
    {
        using var host = ScriptedHost.Ready(new TestCatalog().Sync((_, _) => ""));
        host.Data(w =>
        {
            var call = CallWriter.Begin(w, 1, new CallFields(0));
            call.AddRaw(2, new byte[1]);
            call.End();
        });
        Assert.Equal("abort 2", host.End.Wait());
    }

    [Fact]
    public void A_call_beyond_the_last_id_of_DRAIN_is_a_violation()
    {
        using var go = new Gate();
        using var host = ScriptedHost.Ready(new TestCatalog().Async(async (_, _) =>
        {
            await go.PassAsync();
            return "";
        }));
        host.Call(1, 0);
        host.ExpectData(FrameType.Started, 1);
        host.Drain(1);
        host.ExpectControl(FrameType.Returned);
        host.Call(2, 0);
        Assert.Equal("abort 2", host.End.Wait());
        go.Open();
    }

    [Fact]
    public void READY_is_not_sent_before_parallel_preparation_has_finished_and_PING_is_answered_as_soon_as_it_has()
    {
        using var prepared = new Gate();
        using var loaded = new Gate();
        var isPrepared = false;
        using var host = new ScriptedHost(
            () =>
            {
                loaded.Open();
                return [new TestCatalog().Sync((_, _) => "")];
            },
            prepare: () =>
            {
                loaded.Pass();
                isPrepared = true;
                prepared.Pass();
            });
        host.Control(new HelloPayload { Pool = TestCatalog.Pool }.Write);
        loaded.Pass();
        host.Control(w => new PingPayload(5).Write(w, FrameType.Ping));
        prepared.Open();

        FrameType[] first = [host.NextControl().Type, host.NextControl().Type];

        Assert.True(isPrepared);
        Assert.Equal([FrameType.Ready, FrameType.Pong], first.Order());
    }

    [Fact]
    public void READY_is_sent_and_calls_are_served_while_the_warm_up_runs_and_PING_is_answered_after_it()
    {
        using var warm = new Gate();
        using var host = new ScriptedHost(() => [new TestCatalog().Sync((_, _) => "served")], warmUp: warm.Pass);
        host.Control(new HelloPayload { Pool = TestCatalog.Pool }.Write);
        host.ExpectControl(FrameType.Ready);
        host.Control(w => new PingPayload(5).Write(w, FrameType.Ping));
        host.Call(1, 0);
        host.ExpectResult(1);
        warm.Open();
        host.ExpectControl(FrameType.Pong);
    }

    [Fact]
    public void A_worker_that_receives_PING_before_HELLO_answers_and_continues_to_wait()
    {
        using var host = new ScriptedHost(() => [new TestCatalog().Sync((_, _) => "")]);
        host.SettleControl();
        host.Control(new HelloPayload { Pool = TestCatalog.Pool }.Write);
        host.ExpectControl(FrameType.Ready);
    }

    [Theory]
    [InlineData("drain")]
    [InlineData("cancel")]
    [InlineData("credit")]
    public void Before_READY_only_PING_is_handled(string frame)
    {
        using var go = new Gate();
        using var host = new ScriptedHost(() =>
        {
            go.Pass();
            return [];
        });
        host.Control(new HelloPayload().Write);
        host.SettleControl();
        Assert.True(host.ControlDown.Write(Protocol.Samples.Named(frame).Bytes()));
        Assert.Equal("abort 2", host.End.Wait());
        go.Open();
    }

    [Fact]
    public void An_undefined_level_is_not_logged_and_an_exception_that_cannot_be_described_is_named()
    {
        ILogger? logger = null;
        using var host = ScriptedHost.Ready(
            new TestCatalog
            {
                NeedsServices = true,
                WorkerServices = startup =>
                {
                    logger = startup.LoggerFactory.CreateLogger("App");
                    return null;
                },
            }.Sync((_, _) =>
            {
                logger!.Log((LogLevel)42, 0, "too high", null, static (text, _) => text);
                logger!.Log((LogLevel)(-1), 0, "too low", null, static (text, _) => text);
                logger!.Log(LogLevel.Warning, 0, "odd", new HostileException(), static (text, _) => text);
                return "";
            }),
            leastLogLevel: 0);
        host.Call(1, 0);
        host.ExpectResult(1);
        var record = LogPayload.Read(host.ExpectControl(FrameType.Log).Payload);
        Assert.Equal((3, "odd"), (record.Level, record.Message));
        Assert.Contains(nameof(HostileException), record.Exception, StringComparison.Ordinal);
    }

    [Fact]
    public void Log_records_have_the_call_in_which_they_were_written()
    {
        ILogger? logger = null;
        using var host = ScriptedHost.Ready(
            new TestCatalog
            {
                NeedsServices = true,
                WorkerServices = startup =>
                {
                    logger = startup.LoggerFactory.CreateLogger("App.Test");
                    return new TestServices();
                },
            }.Async(async (call, _) =>
            {
                await Task.Yield();
                logger!.Log(LogLevel.Warning, new EventId(17, "Slow"), call.Text, new IOException("x"), (text, _) => $"slow {text}");
                logger!.Log(LogLevel.Information, 0, 0, null, (_, _) => throw new InvalidOperationException("The formatter fails."));
                return "";
            }),
            leastLogLevel: 3);
        host.Call(1, 0, "call");
        host.ExpectResult(1);
        var frame = host.ExpectControl(FrameType.Log);
        var log = LogPayload.Read(frame.Payload);
        Assert.Equal(1ul, frame.CallId);
        Assert.Equal((3, 17, 0u, "Slow", "App.Test", "slow call", "System.IO.IOException: x"), (log.Level, log.EventId, log.Dropped, log.EventName, log.Category, log.Message, log.Exception));
    }

    [Fact]
    public void A_host_that_does_not_read_loses_log_records_and_nothing_else()
    {
        ILogger? logger = null;
        var text = new string('x', 1000);
        using var host = ScriptedHost.Ready(new TestCatalog
        {
            NeedsServices = true,
            WorkerServices = startup =>
            {
                logger = startup.LoggerFactory.CreateLogger("App.Test");
                return new TestServices();
            },
        }.Sync((call, _) =>
        {
            for (var i = 0; i < int.Parse(call.Text!, CultureInfo.InvariantCulture); i++)
            {
                logger!.Log(LogLevel.Information, 0, text, null, (state, _) => state);
            }

            return "";
        }));

        host.ControlUp.Stalled = true;
        host.Call(1, 0, "1000");
        host.ExpectResult(1);
        host.ControlUp.Stalled = false;

        // All waiting records are sent before the answer to a later PING.
        host.Control(w => new PingPayload(1).Write(w, FrameType.Ping));
        uint came = 0, dropped = 0;
        while (host.NextControl() is { Type: FrameType.Log } frame)
        {
            dropped += LogPayload.Read(frame.Payload).Dropped;
            came++;
        }

        host.Call(2, 0, "1");
        host.ExpectResult(2);
        dropped += LogPayload.Read(host.ExpectControl(FrameType.Log).Payload).Dropped;
        Assert.Equal(1000u, came + dropped);
        Assert.InRange((int)came * text.Length, ControlOutput.MostLogWaiting / 2, 3 * ControlOutput.MostLogWaiting);
    }

    private sealed class HostileException : Exception
    {
        public override string ToString() => throw new NotSupportedException();
    }
}
