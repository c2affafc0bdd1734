using Weir.Runtime;

namespace Weir.Tests.Contract;

/// <summary>An invoker whose calls are completed by the test.</summary>
internal sealed class ManualInvoker : CallInvoker
{
    public Call? Last { get; private set; }

    public override ValueTask RunAsync(Call call, CancellationToken cancellationToken)
    {
        Last = call;
        return call.WhenEnded;
    }

    public override IAsyncEnumerable<T> StreamAsync<T>(StreamCall<T> call, CancellationToken cancellationToken) => throw new NotSupportedException();

    /// <summary>Does what a generated proxy does.</summary>
    public ValueTask<int> Number(Operation operation, object argument)
    {
        var call = (NumberCall)operation.RentCall();
        call.Argument = argument;
        return InvokeAsync(call, CancellationToken.None);
    }
}
