using Weir.Runtime;

namespace Weir.Tests.Execution;

/// <summary>Values for tests that need one and do not depend on which.</summary>
internal static class Some
{
    internal static Operation Operation(params OperationFilterAttribute[] filters) => Operation(needsServices: false, filters);

    internal static Operation Operation(bool needsServices, params OperationFilterAttribute[] filters)
    {
        var operation = new Operation
        {
            Name = "Answer",
            Verbs = Verbs.Post,
            ResultKind = ResultKind.Value,
            IsSynchronous = true,
            Filters = filters,
            Signature = 1,
            CreateCall = static operation => new DelegateCall(operation, static _ => 42),
        };
        _ = new Service { Name = "Some", TypeName = "Some", CreateInstance = static _ => new object(), IsShared = true, NeedsServices = needsServices, Operations = [operation] };
        return operation;
    }

    internal static OperationContext Context(Operation operation) =>
        new(operation.CreateCall(operation), NoServices.Instance, CancellationToken.None);

    internal static CallRequest Request(bool waitsForCapacity = true, CancellationToken cancellationToken = default) =>
        new() { Services = NoServices.Instance, Admission = waitsForCapacity ? CallAdmission.Wait : CallAdmission.Queue, CancellationToken = cancellationToken };
}
