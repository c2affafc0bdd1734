using Microsoft.Extensions.DependencyInjection;

namespace Weir.IntegrationTests.Services;

public interface IGreeting
{
    string Of(string name);
}

/// <summary>An isolated class that needs a service; the worker builds it.</summary>
[Service, Isolated("needy")]
public sealed class Needy(IGreeting greeting)
{
    public string Greet(string name) => greeting.Of(name);
}

internal sealed class Greeting(string word) : IGreeting
{
    public string Of(string name) => $"{word}, {name}";
}

internal static class TestWorkerServices
{
    /// <summary>Builds what isolated classes of the tests need, or fails as its configuration says.</summary>
    [WorkerServices]
    internal static IServiceProvider Create(WorkerStartup startup)
    {
        var services = new ServiceCollection().AddSingleton(startup.LoggerFactory);
        switch (startup.Configuration["start"])
        {
            case "throw":
                throw new InvalidOperationException("no database");
            case "exit":
                Environment.Exit(7);
                break;
            case "hang":
                Thread.Sleep(Timeout.Infinite);
                break;
            case "linger":
                Console.WriteLine("building services");
                Thread.Sleep(500);
                break;
            case "nothing":
                break;
            case "share":
                services.AddSingleton<IGreeting>(new SharedGreeting(startup.SharedData("model")));
                break;
            default:
                services.AddSingleton<IGreeting>(new Greeting(startup.Configuration["word"] ?? "Hello"));
                break;
        }

        return services.BuildServiceProvider();
    }
}
