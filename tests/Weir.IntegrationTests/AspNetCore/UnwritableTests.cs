using System.Collections;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>Failures that are hard to report: exceptions whose own members throw, services of the application that fail, forms that cannot be stored. Each is a problem and an event.</summary>
public sealed class UnwritableTests
{
    private static readonly Operation[] Operations = [.. Operation(Placement.Inline), .. Operation(Placement.Lane)];

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public static MatrixTheoryData<string, string, bool> Throwers => new(["Inline", "Lane", "InlineStream", "Filtered"], ["Message", "ToString", "StackTrace", "Data"], [false, true]);

    [Theory]
    [MemberData(nameof(Throwers))]
    public async Task An_exception_whose_member_throws_is_a_problem_and_is_logged(string operation, string member, bool hasDetails)
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Operations)],
            Options = options => options.IncludeExceptionDetails = hasDetails,
            Services = static builder => builder.Logging.AddProvider(new WritingLog()),
            Weir = options =>
            {
                options.RunInline = true;
                if (operation == "Filtered")
                {
                    options.Filters.Add((_, _) => throw new Unwritable(member));
                }
            },
        });
        using var response = await host.Client.GetAsync($"/Probe/{(operation == "Filtered" ? "Inline" : operation)}?x={member}", Cancel);
        await response.ReadProblemAsync(500, WeirCodes.HandlerFailed);
        Assert.Contains(host.Log.Lines, static line => line is { Event: 4201, Level: LogLevel.Error, Error: not null });
    }

    [Fact]
    public async Task A_failure_is_answered_where_no_log_can_be_written()
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Catalogs = [new ProbeCatalog(Probe.Result("Fail", ResultKind.Text, static (_, _) => throw new InvalidOperationException("failed")))],
            Services = static builder => builder.Logging.AddProvider(new WritingLog(isFull: true)),
        });
        using var response = await host.Client.GetAsync("/Probe/Fail", Cancel);
        await response.ReadProblemAsync(500, WeirCodes.HandlerFailed);
    }

    [Theory]
    [InlineData("/Probe/Fail", 500, WeirCodes.HandlerFailed)]
    [InlineData("/Probe/Missing", 404, WeirCodes.OperationNotFound)]
    public async Task A_problem_that_the_application_cannot_write_is_written_by_Weir(string path, int status, string code)
    {
        foreach (var isWriter in (bool[])[false, true])
        {
            await using var host = await WeirHost.StartAsync(new WeirHost.Setup
            {
                Catalogs = [new ProbeCatalog(Probe.Result("Fail", ResultKind.Text, static (_, _) => throw new InvalidOperationException("failed")))],
                Services = builder =>
                {
                    if (isWriter)
                    {
                        builder.Services.AddSingleton<IProblemDetailsWriter, BrokenWriter>();
                    }

                    builder.Services.AddProblemDetails(options => options.CustomizeProblemDetails = isWriter ? null : static _ => throw new NotSupportedException("customized"));
                },
            });
            using var response = await host.Client.GetAsync(path, Cancel);
            await response.ReadProblemAsync(status, code);
            Assert.Contains(host.Log.Lines, static line => line is { Event: 4241, Level: LogLevel.Error, Error: NotSupportedException });
        }
    }

    public static TheoryData<Exception> Refusals =>
    [
        new IOException("No space left on device : '/tmp/ASPNETCORE_1.tmp'", 28),
        new IOException("Read-only file system : '/tmp/'", 30),
        new DirectoryNotFoundException("/none"),
        new UnauthorizedAccessException("Access to the path '/tmp/ASPNETCORE_1.tmp' is denied."),
    ];

    [Theory]
    [MemberData(nameof(Refusals), DisableDiscoveryEnumeration = true)]
    public async Task A_form_that_cannot_be_stored_is_a_problem_and_the_log_names_the_folder(Exception refusal)
    {
        await using var host = await WeirHost.StartAsync(new WeirHost.Setup
        {
            Before = app => app.Use((http, next) =>
            {
                http.Features.Set<IFormFeature>(new UnstoredForm(refusal));
                return next(http);
            }),
            Catalogs = Generated.ApplicationCatalog.Catalogs,
            Prefix = null,
            Weir = static options => TestPools.StartOnDemand(options),
            After = static (app, _) => app.MapWeirService<Transfers>(),
        });
        using var form = new MultipartFormDataContent { { new StringContent("x"), "name" } };
        using var response = await host.Client.PostAsync("/Transfers/Apply", form, Cancel);
        var problem = await response.ReadProblemAsync(500, WeirCodes.HandlerFailed);
        Assert.Contains("could not store the form", problem.GetProperty("detail").GetString(), StringComparison.Ordinal);
        var line = Assert.Single(host.Log.Lines, static line => line is { Event: 4240, Level: LogLevel.Error });
        Assert.Same(refusal, line.Error);
        Assert.Contains("ASPNETCORE_TEMP", line.Text, StringComparison.Ordinal);
    }

    private static Operation[] Operation(Placement placement) =>
    [
        Probe.Result(placement.ToString(), ResultKind.Text, static (a, _) => throw new Unwritable((string)a["x"]!), [Probe.Text("x")], placement: placement),
        .. placement == Placement.Inline ? [Probe.Stream("InlineStream", static (a, _) => FailAsync((string)a["x"]!), [Probe.Text("x")])] : Array.Empty<Operation>(),
    ];

    private static async IAsyncEnumerable<int> FailAsync(string member)
    {
        await Task.Yield();
        if (member.Length > 0)
        {
            throw new Unwritable(member);
        }

        yield return 1;
    }

    private sealed class Unwritable(string member) : Exception
    {
        public override string Message => member == "Message" ? throw new NotSupportedException("no message") : "failed";

        public override string? StackTrace => member == "StackTrace" ? throw new NotSupportedException("no stack") : base.StackTrace;

        public override IDictionary Data => member == "Data" ? throw new NotSupportedException("no data") : base.Data;

        public override string ToString() => member == "ToString" ? throw new NotSupportedException("no text") : base.ToString();
    }

    private sealed class BrokenWriter : IProblemDetailsWriter
    {
        public bool CanWrite(ProblemDetailsContext context) => true;

        public ValueTask WriteAsync(ProblemDetailsContext context)
        {
            context.HttpContext.Response.StatusCode = 418;
            context.HttpContext.Response.ContentType = "text/html";
            throw new NotSupportedException("written");
        }
    }

    private sealed class UnstoredForm(Exception refusal) : IFormFeature
    {
        public bool HasFormContentType => true;

        public IFormCollection? Form { get; set; }

        public IFormCollection ReadForm() => throw refusal;

        public Task<IFormCollection> ReadFormAsync(CancellationToken cancellationToken) => Task.FromException<IFormCollection>(refusal);
    }

    /// <summary>A log that writes all of an exception, as those of applications do.</summary>
    private sealed class WritingLog(bool isFull = false) : ILoggerProvider, ILogger
    {
        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Error;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (logLevel < LogLevel.Error)
            {
                return;
            }

            if (isFull)
            {
                throw new IOException("the disk is full");
            }

            _ = $"{formatter(state, exception)} {exception?.Message} {exception?.StackTrace} {exception?.Data.Count} {exception}";
        }

        public void Dispose()
        {
        }
    }
}
