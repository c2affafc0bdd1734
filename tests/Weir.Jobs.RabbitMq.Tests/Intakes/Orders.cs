using System.Collections.Concurrent;
using System.ComponentModel.DataAnnotations;

namespace Weir.Jobs.RabbitMq.Tests.Intakes;

/// <summary>What ran.</summary>
public sealed class Ledger
{
    public ConcurrentDictionary<string, int> Shipped { get; } = new();
}

/// <summary>A validation with a defect.</summary>
[AttributeUsage(AttributeTargets.Parameter)]
public sealed class SoundAttribute : ValidationAttribute
{
    public override bool IsValid(object? value) => value is not "broken" ? true : throw new InvalidOperationException("The rules are missing.");
}

/// <summary>What messages submit.</summary>
[Service]
public sealed class Orders(Ledger ledger)
{
    [Job, Idempotent]
    public void Ship(string order, [Range(1, 100)] int boxes = 1) => ledger.Shipped.AddOrUpdate(order, boxes, (_, before) => before + boxes);

    [Job("bill", Key = nameof(customer))]
    public void Bill(string customer, byte[] scan) => ledger.Shipped.AddOrUpdate(customer, scan.Length, (_, before) => before + scan.Length);

    [Job]
    public void Check([Sound] string order) => ledger.Shipped.AddOrUpdate(order, 1, static (_, before) => before + 1);
}
