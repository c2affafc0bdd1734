using Microsoft.Extensions.DependencyInjection;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Runtime;

namespace Weir.Tests.Worker;

public sealed class StartTests
{
    private static StartFailure Fail(ScriptedHost host, HelloPayload? hello = null)
    {
        host.Control((hello ?? new HelloPayload { Pool = TestCatalog.Pool }).Write);
        var ready = host.ExpectControl(FrameType.Ready);
        Assert.Equal(FrameFlags.Failed, ready.Flags);
        Assert.Equal(ByeReason.StartFailed, ByePayload.Read(host.ExpectControl(FrameType.Bye).Payload).Reason);
        Assert.Equal("abort 1", host.End.Wait());
        return StartFailure.Read(ready.Payload);
    }

    [Fact]
    public void Catalogs_that_cannot_be_loaded_are_named()
    {
        using var host = new ScriptedHost(() => throw new FileNotFoundException("App"));
        var failure = Fail(host);
        Assert.Equal(("load catalog", "System.IO.FileNotFoundException", "App"), (failure.Phase, failure.ExceptionType, failure.Message));
        Assert.Contains(nameof(Catalogs_that_cannot_be_loaded_are_named), failure.Stack);
    }

    [Fact]
    public void A_pool_without_operations_is_named()
    {
        using var host = new ScriptedHost(new TestCatalog().Sync((_, _) => "", pool: "other"));
        Assert.Contains("[Isolated(\"tests\")]", Fail(host).Message);
    }

    [Fact]
    public void Services_that_cannot_be_created_are_named()
    {
        using var host = new ScriptedHost(new TestCatalog { NeedsServices = true, WorkerServices = _ => throw new InvalidOperationException("no database") }.Sync((_, _) => ""));
        var failure = Fail(host);
        Assert.Equal(("build services", "System.InvalidOperationException", "no database"), (failure.Phase, failure.ExceptionType, failure.Message));
    }

    [Fact]
    public void A_class_that_cannot_be_created_is_named()
    {
        using var host = new ScriptedHost(new TestCatalog { Create = services => ServiceResolution.Require<string>(services, "App.Test") }.Sync((_, _) => ""));
        var failure = Fail(host);
        Assert.Equal("create App.Test", failure.Phase);
        Assert.Contains(WeirCodes.ServiceNotRegistered, failure.Message);
    }

    [Theory]
    [InlineData(true, 1)]
    [InlineData(false, 0)]
    public void A_service_with_a_warm_up_is_warmed_up_once_before_READY_if_the_host_requests_it(bool warmUp, int times)
    {
        var instances = new List<ColdService>();
        using var host = new ScriptedHost(new TestCatalog
        {
            Create = _ =>
            {
                var instance = new ColdService(null);
                instances.Add(instance);
                return instance;
            },
        }.Sync((_, _) => ""));
        host.Control(new HelloPayload { Pool = TestCatalog.Pool, WarmUp = warmUp }.Write);
        host.ExpectControl(FrameType.Ready);
        var trial = Assert.Single(instances);
        Assert.Equal((times, true), (trial.WarmUps, trial.IsDisposed));
    }

    [Fact]
    public void A_service_whose_warm_up_fails_is_named()
    {
        var service = new ColdService(new InvalidOperationException("no model"));
        using var host = new ScriptedHost(new TestCatalog { Create = _ => service }.Sync((_, _) => ""));
        var failure = Fail(host, new HelloPayload { Pool = TestCatalog.Pool, WarmUp = true });
        Assert.Equal(("warm up App.Test", "System.InvalidOperationException", "no model"), (failure.Phase, failure.ExceptionType, failure.Message));
        Assert.True(service.IsDisposed);
    }

    [Fact]
    public void Another_build_of_the_application_is_rejected_before_any_of_its_services_is_created()
    {
        var built = false;
        using var host = new ScriptedHost(new TestCatalog
        {
            NeedsServices = true,
            WorkerServices = _ =>
            {
                built = true;
                return null;
            },
        }.Sync((_, _) => ""));
        var failure = Fail(host, new HelloPayload { Pool = TestCatalog.Pool, CatalogIdentity = "Tests:00000000000000000000000000000000" });
        Assert.Equal("compare catalogs", failure.Phase);
        Assert.Contains(WeirCodes.CatalogMismatch, failure.Message);
        Assert.False(built);
    }

    [Fact]
    public void A_host_of_another_version_is_rejected_before_anything_is_loaded()
    {
        using var host = new ScriptedHost(() => throw new InvalidOperationException("It was loaded."));
        Assert.Equal("agree version", Fail(host, new HelloPayload { MinVersion = 2, MaxVersion = 3 }).Phase);
    }

    [Fact]
    public void Services_get_the_configuration_of_HELLO_regardless_of_the_case_of_its_keys()
    {
        WorkerStartup? startup = null;
        using var host = new ScriptedHost(new TestCatalog
        {
            NeedsServices = true,
            WorkerServices = s =>
            {
                startup = s;
                return null;
            },
        }.Sync((_, _) => ""));
        host.Control(new HelloPayload { Pool = TestCatalog.Pool, Configuration = [new("Db:Key", "secret")] }.Write);
        host.ExpectControl(FrameType.Ready);
        Assert.Equal(("tests", "secret"), (startup!.Pool, startup.Configuration["db:key"]));
    }

    [Fact]
    public void Services_are_not_created_if_nothing_needs_them()
    {
        var built = false;
        using var host = ScriptedHost.Ready(new TestCatalog
        {
            WorkerServices = _ =>
            {
                built = true;
                return null;
            },
        }.Sync((_, _) => ""));
        Assert.False(built);
    }

    [Fact]
    public void Every_call_has_its_own_instance_and_scope_that_are_disposed_before_its_outcome_is_sent()
    {
        var services = new TestServices();
        var instances = new List<TestInstance>();
        using var host = ScriptedHost.Ready(new TestCatalog
        {
            NeedsServices = true,
            WorkerServices = _ => services,
            Create = scope =>
            {
                var instance = new TestInstance { Scope = (TestServices.Scope)scope };
                instances.Add(instance);
                return instance;
            },
        }.Sync((call, _) => $"{((TestInstance)call.Instance!).Scope!.Number}"));

        Assert.True(Assert.Single(instances).Disposed); // The trial before READY.
        host.Call(1, 0);
        Assert.Equal("\"2\"", host.ExpectResult(1).Text);
        host.Call(2, 0);
        Assert.Equal("\"3\"", host.ExpectResult(2).Text);
        Assert.Equal(3, instances.Count);
        Assert.All(instances, i => Assert.True(i.Disposed && i.Scope!.Disposed));
    }

    [Fact]
    public void A_shared_instance_is_created_once_and_kept()
    {
        var created = new List<TestInstance>();
        using var host = ScriptedHost.Ready(new TestCatalog
        {
            IsShared = true,
            Create = _ =>
            {
                created.Add(new TestInstance());
                return created[^1];
            },
        }.Sync((_, _) => ""));
        host.Call(1, 0);
        host.ExpectResult(1);
        Assert.False(Assert.Single(created).Disposed);
    }

    [Fact]
    public void An_instance_that_fails_to_be_disposed_fails_its_call()
    {
        var fails = false;
        using var host = ScriptedHost.Ready(new TestCatalog { Create = _ => new TestInstance { DisposeFails = fails } }.Sync((_, _) => ""));
        fails = true;
        host.Call(1, 0);
        var error = host.ExpectError(1);
        Assert.Equal((ErrorKind.HandlerFailed, "instance stuck"), (error.Kind, error.Message));
    }

    [Fact]
    public void A_call_that_had_failed_keeps_its_failure_when_disposing_fails_too()
    {
        var fails = false;
        using var host = ScriptedHost.Ready(new TestCatalog { Create = _ => new TestInstance { DisposeFails = fails } }.Sync((_, _) => throw new InvalidOperationException("first")));
        fails = true;
        host.Call(1, 0);
        Assert.Equal("first", host.ExpectError(1).Message);
        Assert.Contains("instance stuck", LogPayload.Read(host.ExpectControl(FrameType.Log).Payload).Exception);
    }
}

internal sealed class TestInstance : IAsyncDisposable
{
    internal TestServices.Scope? Scope { get; init; }

    internal bool DisposeFails { get; init; }

    internal bool Disposed { get; private set; }

    public ValueTask DisposeAsync()
    {
        Disposed = true;
        Assert.False(Scope?.Disposed ?? false);
        return DisposeFails ? throw new IOException("instance stuck") : default;
    }
}

internal sealed class TestServices : IServiceProvider, IServiceScopeFactory, IDisposable
{
    private int _scopes;

    internal bool DisposeFails { get; init; }

    internal bool Disposed { get; private set; }

    public object? GetService(Type serviceType) => serviceType == typeof(IServiceScopeFactory) ? this : null;

    public IServiceScope CreateScope() => new Scope(++_scopes);

    public void Dispose()
    {
        Disposed = true;
        if (DisposeFails)
        {
            throw new IOException("services stuck");
        }
    }

    internal sealed class Scope(int number) : IServiceScope, IServiceProvider
    {
        internal int Number => number;

        internal bool Disposed { get; private set; }

        public IServiceProvider ServiceProvider => this;

        public object? GetService(Type serviceType) => null;

        public void Dispose() => Disposed = true;
    }
}

internal sealed class ColdService(Exception? failure) : IWarmUp, IDisposable
{
    public int WarmUps { get; private set; }

    public bool IsDisposed { get; private set; }

    public async ValueTask WarmUpAsync(CancellationToken cancellationToken)
    {
        await Task.Yield();
        WarmUps++;
        if (failure is not null)
        {
            throw failure;
        }
    }

    public void Dispose() => IsDisposed = true;
}
