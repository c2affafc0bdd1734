using Weir.Lab.Engine;
using Weir.Lab.Experiments;

namespace Weir.Lab.Tests.Experiments;

public sealed class PromisesTests
{
    public static TheoryData<string> Names => [.. AllExperiments.List.Select(experiment => experiment.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void Where_nothing_was_measured_no_promise_holds(string name)
    {
        var experiment = AllExperiments.Named([name])[0];
        foreach (var scale in Enum.GetValues<Scale>())
        {
            Case[] cases = [.. experiment.Cases(scale)];
            Promise[] nothing = [.. experiment.Promises(new Measured([], cases), scale)];
            Assert.DoesNotContain(nothing, promise => promise.Holds);

            // Comparisons find promises by their text.
            Assert.Distinct(nothing.Select(promise => promise.Text));
        }
    }
}
