using Weir.Execution.Pools.Definition;

namespace Weir.IntegrationTests.Workers;

/// <summary>Synchronous operations of .NET: the data thread runs them.</summary>
public sealed class InlineWorkerTests : WorkerContentCompliance
{
    private protected override string Service => "ComplianceInline";

    private protected override string FailureType => "System.InvalidOperationException";

    private protected override WorkerProgram Program => WorkerProgram.ForApplication("Weir.IntegrationTests", new PoolOptions());
}

/// <summary>Asynchronous operations of .NET: the data thread continues to read.</summary>
public sealed class PumpedWorkerTests : WorkerContentCompliance
{
    private protected override string Service => "CompliancePumped";

    private protected override string FailureType => "System.InvalidOperationException";

    private protected override WorkerProgram Program => WorkerProgram.ForApplication("Weir.IntegrationTests", new PoolOptions());
}

public sealed class PythonWorkerTests : ForeignWorkerCompliance
{
    private protected override string FailureType => "ValueError";

    private protected override string[] Command => Interpreters.Python;
}

public sealed class NodeWorkerTests : ForeignWorkerCompliance
{
    private protected override string FailureType => "RangeError";

    private protected override bool TellsOfMemory => false;

    private protected override string[] Command => Interpreters.Node;
}

public sealed class MonoWorkerTests : ForeignWorkerCompliance
{
    private protected override string FailureType => "System.InvalidOperationException";

    private protected override bool HasJobs => false;

    private protected override string[] Command => Interpreters.Mono;
}
