using Weir.Runtime;

namespace Weir.Tests.Architecture;

public sealed class ProjectGraphTests
{
    [Fact]
    public void Every_project_references_the_projects_that_the_design_allows() =>
        Expect.NoFault(Repository.Projects.SelectMany(ProjectGraph.Faults));

    [Fact]
    public void Every_designed_project_exists() =>
        Expect.NoFault(ProjectGraph.ShippedNames.Except(Repository.Projects.Where(project => project.IsShipped).Select(project => project.Name)));

    [Fact]
    public void The_solution_lists_every_project()
    {
        var solution = Repository.Read("Weir.slnx");
        Assert.DoesNotContain(Repository.Projects, project => !solution.Contains($"\"{project.Path}\"", StringComparison.Ordinal));
    }

    [Fact]
    public void Abstractions_is_compiled_against_the_base_library_and_what_registers_services_only() =>
        Assert.Equal(
            ["Microsoft.Extensions.Configuration.Abstractions", "Microsoft.Extensions.DependencyInjection.Abstractions", "Microsoft.Extensions.Logging.Abstractions"],
            ReferencesOf(typeof(CallStatus)).Where(static name => !name.StartsWith("System.", StringComparison.Ordinal)).Order());

    [Fact]
    public void Execution_uses_no_type_of_the_worker() =>
        Assert.DoesNotContain("Weir.Worker", ReferencesOf(typeof(CallPipeline)));

    [Theory]
    [InlineData("src/Weir.AspNetCore/Weir.AspNetCore.csproj", """<ProjectReference Include="../Weir.Protocol/Weir.Protocol.csproj" PrivateAssets="none" />""", "references the project Weir.Protocol")]
    [InlineData("src/Weir.AspNetCore/Weir.AspNetCore.csproj", "", "does not reference the project Weir.Execution")]
    [InlineData("src/Weir.AspNetCore/Weir.AspNetCore.csproj", """<ProjectReference Include="..\Weir.Abstractions\Weir.Abstractions.csproj" />""", "needs PrivateAssets")]
    [InlineData("src/Weir.Abstractions/Weir.Abstractions.csproj", """<PackageReference Include="System.Memory" />""", "references the package System.Memory")]
    [InlineData("src/Weir.Abstractions/Weir.Abstractions.csproj", """<FrameworkReference Include="Microsoft.AspNetCore.App" />""", "references the framework Microsoft.AspNetCore.App")]
    [InlineData("src/Weir.Protocol/Weir.Protocol.csproj", """<InternalsVisibleTo Include="Weir.AspNetCore" />""", "InternalsVisibleTo Weir.AspNetCore")]
    [InlineData("src/Weir.Extras/Weir.Extras.csproj", "", "not in the table")]
    [InlineData("src/Weir.Core/Weir.Core.csproj", "", "'Core' names no thing")]
    [InlineData("tests/Weir.Tests/Weir.Tests.csproj", """<ProjectReference Include="../../bench/Weir.Lab/Weir.Lab.csproj" />""", "nothing references Weir.Lab")]
    public void A_project_that_breaks_the_graph_is_found(string path, string item, string fault)
    {
        var project = new ProjectFile(path, $"<Project><ItemGroup>{item}</ItemGroup></Project>");
        Assert.Contains(ProjectGraph.Faults(project), found => found.Contains(fault, StringComparison.Ordinal));
    }

    private static IEnumerable<string> ReferencesOf(Type type) =>
        type.Assembly.GetReferencedAssemblies().Select(name => name.Name!);
}
