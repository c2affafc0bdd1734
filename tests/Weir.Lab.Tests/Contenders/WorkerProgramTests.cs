using Weir.Lab.Engine;

namespace Weir.Lab.Tests.Contenders;

/// <summary>The lab is the program of the isolated workers whose start it measures.</summary>
public sealed class WorkerProgramTests
{
    // Generated code registers clients when the assembly is loaded, and loads their libraries with it.
    [Fact]
    public void The_measured_workers_load_no_library_of_clients() =>
        Assert.DoesNotContain(typeof(Experiment).Assembly.GetReferencedAssemblies(), static library => library.Name is "Refit" or "Weir.Client");
}
