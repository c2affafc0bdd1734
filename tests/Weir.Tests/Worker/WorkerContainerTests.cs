using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;

namespace Weir.Tests.Worker;

/// <summary>A [WorkerServices] method that registers services: what is registered before it runs, and what becomes of its registrations.</summary>
public sealed class WorkerContainerTests
{
    private static readonly KeyValuePair<string, string>[] Configured = [new("Store:Name", "archive"), new("Store:Shelves", "3")];

    [Fact]
    public void Configuration_and_options_are_registered_before_the_method_runs()
    {
        using var host = Started(
            static (services, startup) =>
            {
                Assert.Same(startup.Configuration, Assert.Single(services, static one => one.ServiceType == typeof(IConfiguration)).ImplementationInstance);
                services.Configure<StoreOptions>(startup.Configuration.GetSection("Store"));
                services.AddSingleton<Store>();
            },
            static services => services.GetRequiredService<Store>(),
            static store => $"{store.Options.Value.Name} {store.Options.Value.Shelves} {store.Configuration["store:NAME"]}");
        host.Call(1, 0);
        Assert.Equal("\"archive 3 archive\"", host.ExpectResult(1).Text);
    }

    [Fact]
    public void Records_of_injected_loggers_go_to_the_host_with_their_category_and_call()
    {
        using var host = Started(
            static (services, _) => services.AddSingleton<Store>(),
            static services => services.GetRequiredService<Store>(),
            static store =>
            {
                store.Logger.Log(LogLevel.Debug, new EventId(17, "Searched"), "searched", null, static (text, _) => text);
                return "";
            },
            leastLogLevel: (byte)LogLevel.Debug);
        host.Call(1, 0);
        host.ExpectResult(1);
        var frame = host.ExpectControl(FrameType.Log);
        var record = LogPayload.Read(frame.Payload);
        Assert.Equal((1ul, 1, 17, "Searched", typeof(Store).FullName!.Replace('+', '.'), "searched"), (frame.CallId, record.Level, record.EventId, record.EventName, record.Category, record.Message));
    }

    [Fact]
    public void A_record_has_the_template_the_values_and_the_scopes_of_the_logger()
    {
        using var host = Started(
            static (services, _) => services.AddSingleton<Store>(),
            static services => services.GetRequiredService<Store>(),
            static store =>
            {
                using (store.Logger.BeginScope("order {Order}", 7))
                {
                    store.Logger.LogWarning("took {Ms} of {Most}, {Done}, {By}, {At}", 5, 2.5, true, null, new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc));
                }

                store.Logger.LogWarning("outside");
                return "";
            });
        host.Call(1, 0);
        host.ExpectResult(1);
        var details = LogPayload.Read(host.ExpectControl(FrameType.Log).Payload).Details!;
        Assert.Equal("took {Ms} of {Most}, {Done}, {By}, {At}", details.Template);
        Assert.Equal(
            [
                new LogValue("Ms", LogValueKind.Integer, "5"), new LogValue("Most", LogValueKind.Number, "2.5"), new LogValue("Done", LogValueKind.Boolean, "true"),
                new LogValue("By", LogValueKind.Null, ""), new LogValue("At", LogValueKind.Text, "2026-01-02T03:04:05.0000000Z"),
            ],
            details.Values);
        var scope = Assert.Single(details.Scopes);
        Assert.Equal(("order 7", new LogValue("Order", LogValueKind.Integer, "7")), (scope.Text, Assert.Single(scope.Values)));
        Assert.Empty(LogPayload.Read(host.ExpectControl(FrameType.Log).Payload).Details!.Scopes);
    }

    [Fact]
    public void The_host_decides_which_records_are_sent_and_a_filter_of_the_method_which_are_made()
    {
        using var host = Started(
            static (services, _) => services.AddLogging(static logging => logging.AddFilter("Noisy", LogLevel.Error)),
            static services => (Func<string, ILogger>)services.GetRequiredService<ILoggerFactory>().CreateLogger,
            static create =>
            {
                create("Other").Log(LogLevel.Information, 0, "below the host's level", null, static (text, _) => text);
                create("Noisy").Log(LogLevel.Warning, 0, "filtered", null, static (text, _) => text);
                create("Other").Log(LogLevel.Warning, 0, "sent", null, static (text, _) => text);
                return "";
            },
            leastLogLevel: (byte)LogLevel.Warning);
        host.Call(1, 0);
        host.ExpectResult(1);
        Assert.Equal("sent", LogPayload.Read(host.ExpectControl(FrameType.Log).Payload).Message);
        host.Drain(1);
        host.ExpectControl(FrameType.Returned);
        host.ExpectControl(FrameType.Bye);
    }

    [Fact]
    public void Adding_logging_again_without_a_word_more_keeps_records_and_their_levels()
    {
        using var host = Started(
            static (services, _) => services.AddLogging().AddSingleton<Store>(),
            static services => services.GetRequiredService<Store>(),
            static store =>
            {
                store.Logger.Log(LogLevel.Trace, 0, "traced", null, static (text, _) => text);
                return "";
            },
            leastLogLevel: (byte)LogLevel.Trace);
        host.Call(1, 0);
        host.ExpectResult(1);
        var record = LogPayload.Read(host.ExpectControl(FrameType.Log).Payload);
        Assert.Equal((0, "traced"), (record.Level, record.Message));

        // Once, although logging was added twice.
        host.Drain(1);
        host.ExpectControl(FrameType.Returned);
        host.ExpectControl(FrameType.Bye);
    }

    [Fact]
    public void A_container_that_the_method_builds_with_logging_alone_writes_to_the_hosts_log()
    {
        using var host = new ScriptedHost(new TestCatalog
        {
            NeedsServices = true,
            WorkerServices = static startup => new ServiceCollection().AddSingleton(startup.Configuration).AddOptions().AddLogging().AddSingleton<Store>().BuildServiceProvider(),
            Create = static services => services.GetRequiredService<Store>(),
        }.Sync(static (call, _) =>
        {
            ((Store)call.Instance!).Logger.LogWarning("heard");
            return "";
        }));
        host.Control(new HelloPayload { Pool = TestCatalog.Pool, LeastLogLevel = (byte)LogLevel.Information }.Write);
        Assert.Equal(FrameFlags.None, host.ExpectControl(FrameType.Ready).Flags);
        host.Call(1, 0);
        host.ExpectResult(1);
        Assert.Equal("heard", LogPayload.Read(host.ExpectControl(FrameType.Log).Payload).Message);
    }

    [Fact]
    public void A_provider_of_loggers_that_the_method_adds_gets_the_records_too()
    {
        var own = new KeptRecords();
        using var host = Started(
            (services, _) => services.AddSingleton<Store>().AddLogging(logging => logging.AddProvider(own)),
            static services => services.GetRequiredService<Store>(),
            static store =>
            {
                store.Logger.Log(LogLevel.Warning, 0, "twice", null, static (text, _) => text);
                return "";
            });
        host.Call(1, 0);
        host.ExpectResult(1);
        Assert.Equal("twice", LogPayload.Read(host.ExpectControl(FrameType.Log).Payload).Message);
        Assert.Equal(["twice"], own.Records);
    }

    [Fact]
    public void Every_call_has_a_scope_of_its_own_and_singletons_are_disposed_when_the_worker_leaves()
    {
        var sessions = new List<Session>();
        using var host = Started(
            static (services, _) => services.AddSingleton<Connection>().AddScoped<Session>(),
            services =>
            {
                sessions.Add(services.GetRequiredService<Session>());
                return sessions[^1];
            },
            session => $"{sessions.IndexOf(session)} {session.IsDisposed}");
        Assert.True(Assert.Single(sessions).IsDisposed); // The trial before READY.
        host.Call(1, 0);
        Assert.Equal("\"1 False\"", host.ExpectResult(1).Text);
        host.Call(2, 0);
        Assert.Equal("\"2 False\"", host.ExpectResult(2).Text);
        Assert.All(sessions, static session => Assert.True(session.IsDisposed));
        var connection = Assert.Single(sessions.Select(static session => session.Connection).Distinct());
        Assert.False(connection.IsDisposed);

        host.Drain(2);
        host.ExpectControl(FrameType.Returned);
        host.ExpectControl(FrameType.Bye);
        Assert.True(connection.IsDisposed);
    }

    [Fact]
    public void A_singleton_that_would_keep_one_calls_service_fails_the_start()
    {
        var failure = Failed(
            static (services, _) => services.AddSingleton<Connection>().AddScoped<Session>().AddSingleton<Hoard>(),
            static services => services.GetRequiredService<Hoard>());
        Assert.Equal("create App.Test", failure.Phase);
        Assert.Contains(nameof(Session), failure.Message, StringComparison.Ordinal);
        Assert.Contains(nameof(Hoard), failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_service_that_is_missing_fails_the_start_and_is_named()
    {
        var failure = Failed(static (services, _) => services.AddScoped<Session>(), static services => services.GetRequiredService<Session>());
        Assert.Equal("create App.Test", failure.Phase);
        Assert.Contains(nameof(Connection), failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_method_that_throws_is_named_as_the_building_of_services()
    {
        var failure = Failed(static (_, _) => throw new InvalidOperationException("no database"), static _ => new object());
        Assert.Equal(("build services", "System.InvalidOperationException", "no database"), (failure.Phase, failure.ExceptionType, failure.Message));
    }

    [Fact]
    public void It_does_not_run_where_no_class_needs_services()
    {
        var ran = false;
        using var host = ScriptedHost.Ready(new TestCatalog { RegisterServices = (_, _) => ran = true }.Sync((_, _) => ""));
        Assert.False(ran);
    }

    private static ScriptedHost Started<T>(Action<IServiceCollection, WorkerStartup> register, Func<IServiceProvider, T> create, Func<T, string> run, byte leastLogLevel = 2)
        where T : class
    {
        var host = new ScriptedHost(new TestCatalog { NeedsServices = true, RegisterServices = register, Create = create }.Sync((call, _) => run((T)call.Instance!)));
        host.Control(new HelloPayload { Pool = TestCatalog.Pool, Configuration = Configured, LeastLogLevel = leastLogLevel }.Write);
        Assert.Equal(FrameFlags.None, host.ExpectControl(FrameType.Ready).Flags);
        return host;
    }

    private static StartFailure Failed(Action<IServiceCollection, WorkerStartup> register, Func<IServiceProvider, object> create)
    {
        using var host = new ScriptedHost(new TestCatalog { NeedsServices = true, RegisterServices = register, Create = create }.Sync((_, _) => ""));
        host.Control(new HelloPayload { Pool = TestCatalog.Pool }.Write);
        var ready = host.ExpectControl(FrameType.Ready);
        Assert.Equal(FrameFlags.Failed, ready.Flags);
        return StartFailure.Read(ready.Payload);
    }

    private sealed class StoreOptions
    {
        public string? Name { get; set; }

        public int Shelves { get; set; }
    }

    private sealed class Store(IOptions<StoreOptions> options, IConfiguration configuration, ILogger<Store> logger)
    {
        public IOptions<StoreOptions> Options => options;

        public IConfiguration Configuration => configuration;

        public ILogger Logger => logger;
    }

    private sealed class Connection : IDisposable
    {
        public bool IsDisposed { get; private set; }

        public void Dispose() => IsDisposed = true;
    }

    private sealed class Session(Connection connection) : IDisposable
    {
        public Connection Connection => connection;

        public bool IsDisposed { get; private set; }

        public void Dispose() => IsDisposed = true;
    }

    private sealed class Hoard(Session session)
    {
        public Session Session => session;
    }

    private sealed class KeptRecords : ILoggerProvider, ILogger
    {
        public List<string> Records { get; } = [];

        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            Records.Add(formatter(state, exception));

        public void Dispose()
        {
        }
    }
}
