using Microsoft.EntityFrameworkCore;

namespace Exports;

/// <summary>The database.</summary>
public sealed class SalesContext(DbContextOptions<SalesContext> options) : DbContext(options)
{
    public DbSet<Sale> Sales => Set<Sale>();

    /// <summary>Makes the table and 10,000 rows of each of two years, if there are none.</summary>
    public void Fill()
    {
        if (Database.EnsureCreated())
        {
            Sales.AddRange(
                from year in (int[])[2025, 2026]
                from number in Enumerable.Range(1, 10_000)
                select new Sale { Year = year, Article = $"article {number % 100}", Amount = number });
            SaveChanges();
        }
    }
}
