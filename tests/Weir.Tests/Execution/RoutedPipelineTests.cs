using Microsoft.Extensions.DependencyInjection;
using Weir.Execution.Inline;
using Weir.Execution.Pipeline;
using Weir.Runtime;

namespace Weir.Tests.Execution;

public sealed class RoutedPipelineTests
{
    private readonly ManualTime _time = new();
    private readonly CountingScopes _scopes = new();

    [Fact]
    public async Task A_call_runs_and_holds_its_result()
    {
        var operation = Some.Operation();
        var call = new DelegateCall(operation, static _ => 7);

        await Pipeline(operation).RunAsync(call, new CallRequest { Services = NoServices.Instance });

        Assert.Equal(7, call.Value);
        Assert.Equal(0, _scopes.Made);
    }

    [Fact]
    public async Task A_call_that_takes_no_services_gets_no_scope()
    {
        var operation = Some.Operation();

        await Pipeline(operation).RunAsync(new DelegateCall(operation, static _ => 7), new CallRequest());

        Assert.Equal(0, _scopes.Made);
    }

    [Fact]
    public async Task A_call_without_services_gets_a_scope_that_ends_with_it()
    {
        var operation = Some.Operation(needsServices: true);

        await Pipeline(operation).RunAsync(new DelegateCall(operation, static _ => 7), new CallRequest());

        Assert.Equal(1, _scopes.Made);
        Assert.Equal(1, _scopes.Disposed);
    }

    [Fact]
    public async Task A_deadline_that_passes_is_reported_as_a_deadline_and_not_as_a_cancellation()
    {
        var operation = Some.Operation();
        var call = new DelegateCall(operation, token =>
        {
            _time.Advance(TimeSpan.FromMilliseconds(31));
            token.ThrowIfCancellationRequested();
            return 0;
        });

        var error = await Assert.ThrowsAsync<DeadlineExceededException>(
            async () => await Pipeline(operation).RunAsync(call, new CallRequest { TimeLimit = TimeSpan.FromMilliseconds(30) }));

        Assert.Equal(CallStatus.DeadlineExceeded, error.Status);
        Assert.Contains("30 ms", error.Message, StringComparison.Ordinal);
        Assert.Equal(0, _time.ActiveTimers);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(-1000)]
    public async Task A_limit_of_zero_or_less_fails_the_call_before_it_runs(double milliseconds)
    {
        var seen = new SeeingFilter();
        var operation = Some.Operation(seen);
        var ran = false;
        var call = new DelegateCall(operation, _ =>
        {
            ran = true;
            return 1;
        });

        await Assert.ThrowsAsync<DeadlineExceededException>(
            async () => await Pipeline(operation).RunAsync(call, new CallRequest { TimeLimit = TimeSpan.FromMilliseconds(milliseconds) }));

        Assert.False(ran);
        Assert.Null(seen.Context);
    }

    [Fact]
    public async Task A_limit_longer_than_a_timer_allows_never_expires()
    {
        var operation = Some.Operation();
        var call = new DelegateCall(operation, static _ => 7);

        await Pipeline(operation).RunAsync(call, new CallRequest { TimeLimit = TimeSpan.MaxValue });

        Assert.Equal(7, call.Value);
    }

    [Fact]
    public async Task A_caller_that_cancels_before_the_deadline_is_a_cancellation()
    {
        var operation = Some.Operation();
        using var leaving = new CancellationTokenSource();
        var call = new DelegateCall(operation, token =>
        {
            leaving.Cancel();
            token.ThrowIfCancellationRequested();
            return 0;
        });

        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await Pipeline(operation).RunAsync(
            call, new CallRequest { TimeLimit = TimeSpan.FromSeconds(1), CancellationToken = leaving.Token }));
    }

    [Fact]
    public async Task Filters_see_the_deadline_and_the_transport()
    {
        var seen = new SeeingFilter();
        var operation = Some.Operation(seen);
        var transport = new object();

        await Pipeline(operation).RunAsync(
            new DelegateCall(operation, static _ => 7),
            new CallRequest { Services = NoServices.Instance, TimeLimit = TimeSpan.FromSeconds(3), Transport = transport });

        Assert.Same(transport, seen.Context!.Transport);
        Assert.Equal(_time.GetUtcNow() + TimeSpan.FromSeconds(3), seen.Context.Deadline);
        Assert.Equal(7, seen.Context.Call.Result);
    }

    [Fact]
    public async Task An_operation_that_is_in_no_catalog_is_named()
    {
        var error = await Assert.ThrowsAsync<InvalidOperationException>(async () => await Pipeline(Some.Operation()).RunAsync(
            new DelegateCall(Some.Operation(), static _ => 7), new CallRequest()));

        Assert.Contains("Some/Answer", error.Message, StringComparison.Ordinal);
    }

    private RoutedPipeline Pipeline(Operation operation)
    {
        var row = new ExecutorTable.Row(new InlineExecutor(ServiceInstances.Generated), new FilterChain([], operation));
        return new RoutedPipeline(new ExecutorTable(new Dictionary<Operation, ExecutorTable.Row> { [operation] = row }), _scopes, _time);
    }

    private sealed class SeeingFilter : OperationFilterAttribute
    {
        internal OperationContext? Context { get; private set; }

        public override ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next)
        {
            Context = context;
            return next();
        }
    }

    private sealed class CountingScopes : IServiceScopeFactory
    {
        internal int Made { get; private set; }

        internal int Disposed { get; private set; }

        public IServiceScope CreateScope()
        {
            Made++;
            return new Scope(this);
        }

        private sealed class Scope(CountingScopes scopes) : IServiceScope
        {
            public IServiceProvider ServiceProvider => NoServices.Instance;

            public void Dispose() => scopes.Disposed++;
        }
    }
}
