using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Showcase;
using Xunit;

namespace Weir.IntegrationTests.Packaging;

/// <summary>A contract for netstandard2.0 that streams, with the package Weir.Abstractions alone: its server and its client are built from packages.</summary>
[Collection(nameof(Publishing))]
public sealed class ContractPackageTests(PackedApplication packed)
{
    [Fact]
    public async Task A_contract_for_netstandard_that_streams_needs_no_other_package_in_server_or_client()
    {
        await packed.BuildAsync();
        var folder = Directory.CreateTempSubdirectory("weir-contract-").FullName;
        try
        {
            File.Copy(packed.PackageSources, Path.Combine(folder, "NuGet.config"));
            await WriteAsync("Contracts", "netstandard2.0", "Weir.Abstractions", """
                using System.Collections.Generic;
                using System.Threading;
                using Weir;

                [Service]
                public interface INumbers
                {
                    [Get]
                    IAsyncEnumerable<int> Count(int to, CancellationToken cancellationToken = default);

                    IAsyncEnumerable<int> Double(IAsyncEnumerable<int> numbers, CancellationToken cancellationToken = default);
                }
                """);
            await WriteAsync("Server", "net10.0", "Weir.AspNetCore", """
                using Microsoft.AspNetCore.Builder;
                using Microsoft.Extensions.DependencyInjection;
                using System.Runtime.CompilerServices;
                using Weir;

                var builder = WebApplication.CreateBuilder(args);
                builder.Services.AddWeir();
                var app = builder.Build();
                app.MapWeir();
                app.Run();

                [Service]
                public sealed class Numbers : INumbers
                {
                    public async IAsyncEnumerable<int> Count(int to, [EnumeratorCancellation] CancellationToken cancellationToken = default)
                    {
                        for (var number = 1; number <= to; number++)
                        {
                            await Task.Yield();
                            yield return number;
                        }
                    }

                    public async IAsyncEnumerable<int> Double(IAsyncEnumerable<int> numbers, [EnumeratorCancellation] CancellationToken cancellationToken = default)
                    {
                        await foreach (var number in numbers)
                        {
                            yield return number * 2;
                        }
                    }
                }
                """);
            await WriteAsync("Client", "net10.0", "Weir.Client", """
                using Weir;

                using var http = new HttpClient { BaseAddress = new Uri(args[0]) };
                var numbers = WeirClient.Create<INumbers>(http);
                await foreach (var number in numbers.Double(numbers.Count(3)))
                {
                    Console.Write($"{number} ");
                }
                """);
            foreach (var project in (string[])["Server", "Client"])
            {
                await DotnetCommand.RunAsync(Path.Combine(folder, project), ["build", "--output", Path.Combine(folder, "out", project), .. DotnetCommand.CompilerArguments]);
            }

            await using var server = await ShowcaseProcess.StartAsync(assembly: Path.Combine(folder, "out", "Server", "Server.dll"));
            Assert.Equal("2 4 6 ", await DotnetCommand.RunAsync(folder, Path.Combine(folder, "out", "Client", "Client.dll"), server.Address.ToString()));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }

        async Task WriteAsync(string name, string framework, string package, string code)
        {
            var project = Directory.CreateDirectory(Path.Combine(folder, name)).FullName;
            await File.WriteAllTextAsync(Path.Combine(project, "Program.cs"), code, TestContext.Current.CancellationToken);
            await File.WriteAllTextAsync(Path.Combine(project, name + ".csproj"), $"""
                <Project Sdk="Microsoft.NET.Sdk{(name == "Server" ? ".Web" : "")}">
                  <PropertyGroup>
                    <TargetFramework>{framework}</TargetFramework>
                    <OutputType>{(name == "Contracts" ? "Library" : "Exe")}</OutputType>
                    <LangVersion>latest</LangVersion>
                    <Nullable>enable</Nullable>
                    <ImplicitUsings>{(name == "Contracts" ? "disable" : "enable")}</ImplicitUsings>
                    <TreatWarningsAsErrors>true</TreatWarningsAsErrors>
                  </PropertyGroup>
                  <ItemGroup>
                    <PackageReference Include="{package}" Version="{PackedApplication.Version}" />
                    {(name == "Contracts" ? "" : """<ProjectReference Include="../Contracts/Contracts.csproj" />""")}
                  </ItemGroup>
                </Project>
                """, TestContext.Current.CancellationToken);
        }
    }
}
