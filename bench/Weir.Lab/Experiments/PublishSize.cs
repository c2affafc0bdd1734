using Weir.Lab.Engine;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>What a published application weighs.</summary>
internal sealed class PublishSize : Experiment
{
    public override string Name => "size";

    public override string Question => "How large is a published application that depends on the shared framework?";

    public override string? Document => null;

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(5);

    public override IEnumerable<Case> Cases(Scale scale)
    {
        yield return new Case("framework-dependent",
        [
            Contender("floor", "Weir.Lab.Empty", "net10.0"),
            Contender("minimal API", "Weir.Lab.MinimalApp", null),
            Contender("weir", "Weir.Lab.WeirApp", null),
        ])
        {
            Rounds = 1,
            WarmUp = false,
        };
    }

    private static LocalContender Contender(string name, string project, string? framework) => new(name, cancellation => Task.Run(() => Publish(project, framework), cancellation));

    private static Round Publish(string project, string? framework)
    {
        var folder = Directory.CreateTempSubdirectory("weir-lab-size-");
        try
        {
            string[] target = framework is null ? [] : ["-f", framework];
            var path = Path.Combine(BuiltPrograms.Repository, "bench", project);
            if (Tool.FirstLine("dotnet", ["publish", path, "--no-build", "-c", BuiltPrograms.Configuration, "-o", folder.FullName, "-v", "quiet", "-nologo", "-m:1", .. target]) is not { Length: 0 } and not null)
                throw new InvalidDataException($"dotnet publish {path} did not go through; run it by hand.");

            var files = folder.GetFiles("*", SearchOption.AllDirectories).Where(file => file.Extension is not (".pdb" or ".xml")).ToArray();
            return files.Length == 0
                ? throw new InvalidDataException($"dotnet publish {path} left nothing; run it by hand.")
                : new Round().Add("size", files.Sum(file => file.Length) / 1e3, "KB").Add("files", files.Length, "");
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
